import { traceparent } from '@waypost/telemetry';
import type { Notice } from '../notices/index.ts';
import { messageBody } from '../webhooks/index.ts';
import type { Case } from './case.ts';

/** What the person wrote stays in the case, which is erased with their account. */
export function noticeOf(
  filed: Case,
  { baseUrl, redirectBaseUrl }: { readonly baseUrl: string; readonly redirectBaseUrl: string },
): Notice {
  const { number, kind, slug, category, accountId, createdAt: at } = filed;
  const [shortUrl, url] = [`${redirectBaseUrl}/${slug}`, `${baseUrl}/admin/reports?about=${slug}`];
  const data = { number, kind, slug, short_url: shortUrl, category, by_owner: accountId !== null, url };
  const body = messageBody('case.opened', at.toISOString(), data);
  const what = category === null ? 'Review request' : `Report (${category.replaceAll('_', ' ')})`;
  return {
    message: { type: 'case.opened', slug, eventId: number, body, at, traceparent: traceparent() },
    mail: { kind: kind === 'report' ? 'report' : 'review request', line: `${what}: ${shortUrl}\n  ${url}` },
  };
}
