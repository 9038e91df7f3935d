import { SIGN_IN_WAYS } from '@waypost/domain';
import Joi from 'joi';
import { named, oneOf, time, uuid } from '../platform/fields.ts';
import type { LinkedIdentity } from './oidc/identity-provider.port.ts';
import type { Device, Session } from './sessions.port.ts';

const originFields = {
  browser: Joi.string().description('The name of the browser, or `Unknown`.'),
  system: Joi.string().description('The name of the operating system.'),
  country: Joi.string().description('The country of the IP address, as an ISO 3166-1 alpha-2 code. `ZZ`: unknown.'),
};

export const sessionBody = named('Session', 'A dashboard session.', {
  id: Joi.string().description('The ID of the session. The audit log shows it as `credential`.'),
  current: Joi.boolean().description('Whether this session sent the request.'),
  via: oneOf(SIGN_IN_WAYS).description('How the person signed in.'),
  ...originFields,
  started_at: time,
  last_used_at: time.description('The time of the last use, to within five minutes.'),
});

export const deviceBody = named('Device', 'A device that signed in: a browser, an operating system and a country.', {
  id: uuid,
  ...originFields,
  first_at: time,
  last_at: time.description('The time of the last sign-in.'),
  known: Joi.boolean().description(
    'Whether the owner knows the device. False for a new device until the owner confirms it.',
  ),
});

export const identityBody = named(
  'Identity',
  'An identity at the OpenID Connect provider, with which the owner signs in.',
  {
    id: uuid,
    issuer: Joi.string(),
    subject: Joi.string().description('The ID of the person at the provider.'),
    created_at: time,
  },
);

export const presentSession = (session: Session, current: string | undefined) => ({
  id: session.id,
  current: session.id === current,
  via: session.via,
  ...session.origin,
  started_at: session.startedAt.toISOString(),
  last_used_at: session.usedAt.toISOString(),
});

export const presentDevice = (device: Device) => ({
  id: device.id,
  ...device.origin,
  first_at: device.firstAt.toISOString(),
  last_at: device.lastAt.toISOString(),
  known: device.known,
});

export const presentIdentity = ({ id, issuer, subject, createdAt }: LinkedIdentity) => ({
  id,
  issuer,
  subject,
  created_at: createdAt.toISOString(),
});

const ORIGIN = { browser: 'Firefox', system: 'Linux', country: 'DE' };
export const SESSION = {
  id: '9f86d081884c',
  current: true,
  via: 'passkey' as const,
  ...ORIGIN,
  started_at: '2026-11-21T09:30:00.000Z',
  last_used_at: '2026-11-21T10:15:00.000Z',
};
export const DEVICE = {
  id: '5a1e7f0c-2b34-4c9d-8a11-6f0d3b9c7e21',
  ...ORIGIN,
  first_at: '2026-11-21T09:30:00.000Z',
  last_at: '2026-11-21T09:30:00.000Z',
  known: false,
};
export const IDENTITY = {
  id: 'c1d2a5de-6a0b-4f5e-9c1a-2f5f0a7f3b10',
  issuer: 'https://accounts.example.org',
  subject: '248289761001',
  created_at: '2026-11-20T08:00:00.000Z',
};
