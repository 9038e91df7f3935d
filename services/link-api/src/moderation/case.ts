/** Cases are reports about links and requests to review a flag. An administrator decides them. */
import { DomainError, generateSlug, type ThreatType } from '@waypost/domain';

export const CASE_KINDS = ['report', 'review'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

export const CASE_STATES = ['open', 'upheld', 'dismissed'] as const;
export type CaseState = (typeof CASE_STATES)[number];

export const REPORT_CATEGORIES = ['phishing', 'malware', 'scam', 'spam', 'policy_violation'] as const;
export type ReportCategory = (typeof REPORT_CATEGORIES)[number] & ThreatType;

export const CASE_MESSAGE_MAX = 1_000;
/**
 * Visitors file at most this many open cases of one kind about one link. A further one is answered with an open one, so
 * that nobody can close the form for others.
 */
export const OPEN_CASES_MAX = 20;
/** A case is deleted this long after its decision. The audit log keeps the decision. */
export const CASE_KEPT_MS = 180 * 86_400_000;

export interface Case {
  /** The number is secret: a person who knows it can read the state of the case. */
  readonly number: string;
  readonly kind: CaseKind;
  readonly slug: string;
  /** Null if the case is a review. */
  readonly category: ReportCategory | null;
  readonly message: string;
  /** The account of the link's owner if the case came through the API. Null if a visitor filed it. */
  readonly accountId: string | null;
  readonly state: CaseState;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
}

/** The number has two random slugs, so there are 58^14 numbers and nobody can guess one. */
export function newCaseNumber(randomBytes: (size: number) => Uint8Array): string {
  return `${generateSlug(randomBytes)}-${generateSlug(randomBytes)}`;
}

export function isCaseNumber(text: string): boolean {
  return /^[1-9A-Za-z]{7}-[1-9A-Za-z]{7}$/.test(text);
}

export function caseNotFound(number: string): DomainError {
  return new DomainError('case_not_found', `There is no case with the number ${number}.`);
}
