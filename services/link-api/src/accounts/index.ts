export type { AccountDetails, Accounts } from './accounts.port.ts';
export { accountOf } from './accounts.ts';
export { sessionToken } from './session-cookie.ts';
export type { Origin } from './sessions.port.ts';
export { UNKNOWN_ORIGIN } from './sign-in.ts';
