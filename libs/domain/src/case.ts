/** Reports about links, and requests to review a flag: cases that an administrator decides. */
import { DomainError } from './errors.ts';
import { generateSlug } from './slug.ts';
import type { ThreatType } from './threat.ts';

export const CASE_KINDS = ['report', 'review'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

export const CASE_STATES = ['open', 'upheld', 'dismissed'] as const;
export type CaseState = (typeof CASE_STATES)[number];

/** What a visitor may report a link as. */
export const REPORT_CATEGORIES = ['phishing', 'malware', 'scam', 'spam', 'policy_violation'] as const;
export type ReportCategory = (typeof REPORT_CATEGORIES)[number] & ThreatType;

export const CASE_MESSAGE_MAX = 1_000;
/** Open cases of one kind about one link that visitors may file. */
export const OPEN_CASES_MAX = 20;

export interface Case {
  /** Whoever knows it may see what became of it. */
  readonly number: string;
  readonly kind: CaseKind;
  readonly slug: string;
  /** Null on a review. */
  readonly category: ReportCategory | null;
  /** May be empty on a report. */
  readonly message: string;
  /** Of the link's owner, who asked through the API; null: a visitor. */
  readonly accountId: string | null;
  readonly state: CaseState;
  /** Why it was decided so. */
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
}

/** Two random slugs: 58^14 numbers, so that nobody finds another's case. */
export function newCaseNumber(randomBytes: (size: number) => Uint8Array): string {
  return `${generateSlug(randomBytes)}-${generateSlug(randomBytes)}`;
}

export function isCaseNumber(text: string): boolean {
  return /^[1-9A-Za-z]{7}-[1-9A-Za-z]{7}$/.test(text);
}

export function caseNotFound(number: string): DomainError {
  return new DomainError('case_not_found', `There is no case with the number ${number}.`);
}
