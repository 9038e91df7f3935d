import { type AuditAction, hasCode } from '@waypost/domain';
import type { Audited } from '../platform/endpoint.ts';

/**
 * A change of the account with the e-mail address of the path, or of something in it. An address without an account is
 * not noted, since no deletion of an account would ever erase it.
 */
export const changeOfAccount = (action: AuditAction): Audited<{ readonly params: { readonly email: string } }> => ({
  action,
  refused: ({ params }, error) =>
    hasCode(error, 'account_not_found')
      ? { subject: '', detail: 'There is no account with this e-mail address.' }
      : { subject: params.email },
});
