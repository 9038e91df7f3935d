import { type Actor, assertFlagged, hasCode, type Link, reported, type ThreatType } from '@waypost/domain';
import { traceparent } from '@waypost/telemetry';
import type { NotesOf } from '../audit/index.ts';
import { type ChangeLinkDeps, findLink, getLink, type LinkStore } from '../links/index.ts';
import type { Notice } from '../notices/index.ts';
import { messageBody } from '../webhooks/index.ts';
import { type Case, caseNotFound, isCaseNumber, newCaseNumber, type ReportCategory } from './case.ts';
import type { Cases } from './cases.port.ts';
import { reviewLink } from './review-link.ts';
import { takeDownLink } from './take-down-link.ts';

export interface FileCaseDeps {
  readonly cases: Cases;
  readonly links: Pick<LinkStore, 'find'>;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => Date;
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
}

/** A report also starts a new scan. Throws `link_not_found`, and for a request to review `link_not_flagged`. */
export async function fileCase(
  deps: FileCaseDeps,
  { slug, category, message }: { slug: string; category: ReportCategory | null; message: string },
): Promise<Case> {
  const link = await findLink(deps, slug);
  if (category === null) assertFlagged(link);
  const kind = category === null ? 'review' : 'report';
  const newCase = { number: newCaseNumber(deps.randomBytes), kind, slug, category, message, accountId: null } as const;
  const event = kind === 'report' ? (current: Link) => reported(current, deps.now()) : undefined;
  return deps.cases.open(newCase, { event, notice: (filed) => noticeOf(filed, deps) });
}

/**
 * Files the owner's request to review a flagged link, or returns the request that is already open. Throws
 * `link_not_found` if the link is not of this owner, and `link_not_flagged`.
 */
export async function requestReview(deps: FileCaseDeps, ownerId: string, slug: string, message: string): Promise<Case> {
  assertFlagged(await getLink(deps, ownerId, slug));
  const number = newCaseNumber(deps.randomBytes);
  const newCase = { number, kind: 'review', slug, category: null, message, accountId: ownerId } as const;
  return deps.cases.open(newCase, { notice: (filed) => noticeOf(filed, deps) });
}

/** What the person wrote stays in the case, which is erased with their account. */
export function noticeOf(
  filed: Case,
  { baseUrl, redirectBaseUrl }: Pick<FileCaseDeps, 'baseUrl' | 'redirectBaseUrl'>,
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

export interface Decision {
  readonly state: 'upheld' | 'dismissed';
  readonly reason: string;
  /** The threat type if a report is upheld. The default is the category of the report. */
  readonly threatType: ThreatType | undefined;
}

/**
 * Changes the link before it closes the case, so a retry repeats missing steps. An upheld report takes the link down.
 * An upheld review clears the flag, and a dismissed review keeps it. A link that cannot change any more stays as it is.
 * Throws `case_not_found`, and `case_decided` if the case is not open.
 */
export async function decideCase(
  deps: ChangeLinkDeps & { readonly cases: Pick<Cases, 'decide'> },
  number: string,
  { state, reason, threatType }: Decision,
  by: Actor,
): Promise<Case> {
  if (!isCaseNumber(number)) throw caseNotFound(number);
  const notes: NotesOf<{ decided: Case; ownerId: string | undefined }> = ({ decided: { kind, slug }, ownerId }) => [
    {
      by,
      action: 'case.decided',
      subject: number,
      ...(ownerId !== undefined && { accountId: ownerId }),
      detail: `${kind} of ${slug} ${state}: ${reason}`,
    },
  ];
  return deps.cases.decide(number, { state, reason }, notes, async ({ kind, slug, category }) => {
    try {
      if (kind === 'review')
        await reviewLink(deps, slug, { decision: state === 'upheld' ? 'clear' : 'keep', reason }, by);
      else if (state === 'upheld')
        await takeDownLink(deps, slug, { threatType: threatType ?? category ?? 'policy_violation', reason }, by);
    } catch (error) {
      if (!hasCode(error, 'link_already_revoked') && !hasCode(error, 'link_not_flagged')) throw error;
    }
  });
}
