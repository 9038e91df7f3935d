export type { AccountDetails, Accounts } from './accounts.port.ts';
export { accountOf } from './accounts.ts';
export { sessionToken } from './session-cookie.ts';
