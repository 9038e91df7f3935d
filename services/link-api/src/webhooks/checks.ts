/** What the use cases of webhooks check alike (docs/webhooks.md). */
import { randomBytes } from 'node:crypto';
import {
  type Actor,
  type AuditAction,
  checkWebhookUrl,
  DomainError,
  EVENTS_OF,
  type UrlPolicy,
  type Webhook,
  type WebhookEvent,
  type WebhookScope,
} from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import { type Caller, hasScope } from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';

/** The audit log gets the host alone, because the rest of an address may be a secret of the owner. */
export const noted =
  (by: Actor, action: Extract<AuditAction, `webhook.${string}`>): NotesOf<Webhook> =>
  ({ id, accountId, url }) => [{ by, action, subject: id, accountId, detail: new URL(url).host }];

/** Throws `validation_failed` unless the policy allows the URL and the scope has the events. */
export function checkedReceiver(
  { url, events }: Pick<Webhook, 'url' | 'events'>,
  scope: WebhookScope,
  policy: UrlPolicy,
): { readonly url: string; readonly events: readonly WebhookEvent[] } {
  const check = checkWebhookUrl(url, policy);
  if (!check.ok) throw invalid({ url: check.problem });
  const other = events.find((event) => !EVENTS_OF[scope].includes(event));
  if (other !== undefined) throw invalid({ events: `must belong to the scope ${scope}, but ${other} does not` });
  return { url: check.href, events };
}

/** A key without the scope `admin` must not learn about the links of other accounts. */
export function assertMayReceive(caller: Caller, scope: WebhookScope): void {
  if (scope === 'installation' && !hasScope(caller, 'admin'))
    throw new DomainError(
      'administrator_needed',
      'Only administrators may have webhooks with the scope "installation".',
    );
}

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function webhookNotFound(): DomainError {
  return new DomainError('webhook_not_found', 'Your account has no webhook with this ID.');
}
