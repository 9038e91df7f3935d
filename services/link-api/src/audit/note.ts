import type { Actor, AuditAction } from '@waypost/domain';

export interface AuditNote {
  readonly by: Actor;
  readonly action: AuditAction;
  readonly subject: string;
  readonly accountId?: string;
  readonly detail?: string | null;
}

/** Returns the audit entries of a change. A store writes them in the transaction of that change. */
export type NotesOf<Changed> = (changed: Changed) => readonly AuditNote[];

export function aboutAccount(
  by: Actor,
  action: Extract<AuditAction, `account.${string}`>,
  id: string,
  detail?: string | null,
): AuditNote {
  return { by, action, subject: id, accountId: id, ...(detail !== undefined && { detail }) };
}
