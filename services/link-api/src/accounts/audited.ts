import { type AuditAction, hasCode } from '@waypost/domain';
import type { Audited } from '../platform/endpoint.ts';

interface Params {
  readonly email: string;
}

/**
 * A change of the account with the e-mail address of the path, or of something in it. An address without an account is
 * not noted, since no deletion of an account would ever erase it.
 */
export const changeOfAccount = <P extends Params>(
  action: AuditAction,
  subjectOf: (params: P) => string = ({ email }) => email,
): Audited<{ readonly params: P }> => ({
  action,
  refused: ({ params }, error) =>
    hasCode(error, 'account_not_found')
      ? { subject: '', detail: 'There is no account with this e-mail address.' }
      : { subject: subjectOf(params) },
});
