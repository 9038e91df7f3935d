/** Which evidence counts against a link, and which a review has cleared. */
import type { Reason, Verdict } from './threat.ts';

export interface Review {
  readonly decision: 'clear' | 'keep';
  readonly reason: string;
}

/** What scans and people decided about a link, oldest first. */
export interface LinkHistory {
  readonly verdicts: readonly (Pick<Verdict, 'outcome' | 'reasons'> & { readonly at: Date })[];
  /** `cleared` has evidence that must not flag the link again, if the decision was to clear. */
  readonly reviews: readonly (Pick<Review, 'decision'> & { readonly cleared: readonly string[]; readonly at: Date })[];
}

const textOf = ({ rule, evidence }: Reason) => `${rule} ${evidence}`;

function latestFlag({ verdicts }: LinkHistory): LinkHistory['verdicts'][number] | undefined {
  return verdicts.findLast(({ outcome }) => outcome === 'flagged');
}

/** A decision to clear applies to the evidence of the latest verdict that flagged the link. */
export function evidenceToClear(history: LinkHistory): readonly string[] {
  return (latestFlag(history)?.reasons ?? []).map(textOf);
}

/** Leaves out evidence that a review cleared. Evidence from another source counts. */
export function countingReasons(reasons: readonly Reason[], { reviews }: LinkHistory): readonly Reason[] {
  const cleared = new Set(reviews.flatMap((review) => (review.decision === 'clear' ? review.cleared : [])));
  return reasons.filter((reason) => !cleared.has(textOf(reason)));
}

/**
 * The reasons of a take-down include those of a flag that still stands, because a review clears only the evidence of
 * the latest verdict.
 */
export function takeDownReasons(reason: string, history: LinkHistory): readonly Reason[] {
  const { verdicts, reviews } = history;
  const flag = latestFlag(history);
  const isOver =
    flag === undefined ||
    reviews.some(({ decision, at }) => decision === 'clear' && at >= flag.at) ||
    verdicts.slice(verdicts.indexOf(flag)).some(({ outcome }) => outcome === 'clean');
  return [{ rule: 'take-down', evidence: reason }, ...(isOver ? [] : flag.reasons)];
}

/** The reasons of the latest flag, and whether a person has kept it. Undefined if the link was never flagged. */
export function flagOf(
  history: LinkHistory,
): { readonly reasons: readonly Reason[]; readonly keptByReview: boolean } | undefined {
  const flag = latestFlag(history);
  if (flag === undefined) return undefined;
  return {
    reasons: flag.reasons,
    keptByReview: history.reviews.some((review) => review.decision === 'keep' && review.at >= flag.at),
  };
}
