import { expect, test } from '@jest/globals';
import { countingReasons, evidenceToClear, flagOf, type LinkHistory, takeDownReasons } from './evidence.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const listed = (evidence: string) => ({ rule: 'feed:phish', evidence });
const verdict = (outcome: 'flagged' | 'clean', minute: number, ...evidence: string[]) => ({
  outcome,
  reasons: evidence.map(listed),
  at: at(minute),
});
const review = (decision: 'clear' | 'keep', minute: number, ...cleared: string[]) => ({
  decision,
  cleared,
  at: at(minute),
});
const history = (verdicts: LinkHistory['verdicts'], reviews: LinkHistory['reviews'] = []) => ({ verdicts, reviews });
const TAKE_DOWN = { rule: 'take-down', evidence: 'spam' };

test('a review clears the evidence of the latest flag alone', () => {
  const flags = [verdict('flagged', 1, 'a'), verdict('flagged', 2, 'b', 'c'), verdict('clean', 3, 'b')];
  expect(evidenceToClear(history(flags))).toEqual(['feed:phish b', 'feed:phish c']);
  expect(evidenceToClear(history([verdict('clean', 1)]))).toEqual([]);
});

test('evidence that any review cleared does not count, and the same entry of another list does', () => {
  const reviews = [
    review('clear', 1, 'feed:phish a'),
    review('clear', 2, 'feed:phish b'),
    review('keep', 3, 'feed:phish c'),
  ];
  const other = { rule: 'feed:other', evidence: 'a' };
  expect(countingReasons([listed('a'), listed('b'), listed('c'), other], history([], reviews))).toEqual([
    listed('c'),
    other,
  ]);
});

test('a take-down has the reasons of a flag that stands, and not of one that a review or a clean scan ended', () => {
  const flags = [verdict('flagged', 1, 'a'), verdict('flagged', 2, 'b')];
  expect(takeDownReasons('spam', history(flags))).toEqual([TAKE_DOWN, listed('b')]);
  expect(takeDownReasons('spam', history(flags, [review('clear', 1)]))).toEqual([TAKE_DOWN, listed('b')]);
  expect(takeDownReasons('spam', history(flags, [review('keep', 3)]))).toEqual([TAKE_DOWN, listed('b')]);
  expect(takeDownReasons('spam', history(flags, [review('clear', 2)]))).toEqual([TAKE_DOWN]);
  expect(takeDownReasons('spam', history([...flags, verdict('clean', 3)]))).toEqual([TAKE_DOWN]);
  expect(takeDownReasons('spam', history([verdict('clean', 0), ...flags]))).toEqual([TAKE_DOWN, listed('b')]);
  expect(takeDownReasons('spam', history([]))).toEqual([TAKE_DOWN]);
});

test('a person keeps the latest flag only by a review of that flag', () => {
  const flags = [verdict('flagged', 1, 'a'), verdict('flagged', 3, 'b')];
  expect(flagOf(history(flags, [review('keep', 2)]))).toEqual({ reasons: [listed('b')], keptByReview: false });
  expect(flagOf(history(flags, [review('keep', 3)]))).toEqual({ reasons: [listed('b')], keptByReview: true });
  expect(flagOf(history(flags, [review('clear', 4)]))?.keptByReview).toBe(false);
  expect(flagOf(history([verdict('clean', 1)]))).toBeUndefined();
});
