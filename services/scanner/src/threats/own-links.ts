/** Our short links in feeds. Each has a key of its own, so a listed one is found and delisted like a destination. */
import { flaggedAs, mostSevere, type Reason, type UrlPolicy } from '@waypost/domain';
import { type JudgeInput, judge, keysOf } from '../judge/judge.ts';
import { expressionKey, keyHalves, signedDecimal } from '../judge/urls/expression-key.ts';
import { ownLinkExpression } from './feeds/entry.ts';

interface Link {
  readonly slug: string;
  readonly destinationUrl: string;
}

/** The keys under which a link is filed. */
export function keysOfLink({ slug, destinationUrl }: Link, policy: UrlPolicy): string[] {
  return [...keysOf(destinationUrl, policy), signedDecimal(expressionKey(ownLinkExpression(slug)))];
}

/** Evidence that a review cleared is known by its text, so the text is the same for each of our hosts. */
const EVIDENCE = 'names this short link itself';

export function isListed(slug: string, index: JudgeInput['index']): boolean {
  return listings(slug, index) !== undefined;
}

const listings = (slug: string, index: JudgeInput['index']) => index.find(...keyHalves(ownLinkExpression(slug)));

/** Judges a stored link by its destination and by its own address. */
export function judgeLink({ slug, destinationUrl }: Link, input: JudgeInput) {
  const verdict = judge(destinationUrl, input);
  const sources = listings(slug, input.index) ?? [];
  const entries = sources.map(
    ({ feed, threatType }): Reason => ({ rule: `feed:${feed}`, evidence: EVIDENCE, threat_type: threatType }),
  );
  const types = sources.map(({ threatType }) => threatType);
  const destinationType = flaggedAs(verdict);
  if (destinationType !== null) types.push(destinationType);
  return { threatType: mostSevere(types), reasons: [...entries, ...verdict.reasons] };
}
