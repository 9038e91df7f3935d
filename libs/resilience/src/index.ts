export { type BackOff, backOffMs, isNoteworthy } from './back-off.ts';
export { rest, within } from './time.ts';
