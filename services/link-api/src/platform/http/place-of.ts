import type { Response } from 'express';
import { NOWHERE, type Place } from '../place.ts';

export const placeOf = ({ locals }: Pick<Response, 'locals'>): Place => (locals.place as Place | undefined) ?? NOWHERE;
