import type { Caller } from '../caller.ts';
import type { Authentication } from './authentication.ts';

const OPERATOR_CALLER: Caller = {
  operator: true,
  accountId: '',
  keyId: null,
  scopes: ['admin'],
  admin: true,
  creations: { limit: 0, window: undefined },
};

/** Takes every request for one of the operator. Only for the operator's socket, which nobody else can open. */
export const asOperator: Authentication = {
  credentialOf: () => undefined,
  authenticate: async () => OPERATOR_CALLER,
};
