import { wrong } from '../platform/endpoint.ts';
import { text } from '../platform/fields.ts';
import { EMAIL_MAX } from './accounts.ts';

export const email = text.max(EMAIL_MAX);
export const withoutPassword = wrong('Missing password', { password: 'is required' });
