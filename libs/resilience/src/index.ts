export { type BackOff, backOffMs, isNoteworthy } from './back-off.ts';
export { type Breaker, breaker } from './breaker.ts';
export { memo } from './memo.ts';
export { rest, within } from './time.ts';
