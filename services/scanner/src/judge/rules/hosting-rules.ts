/** Rules about free names on hosting services. None flags alone: developers and shops are tenants there, too. */
import { INSTANT_HOSTS } from '../../data.ts';
import { brandNearStart, isBrandToken, isWord, nearBrand } from './brand-names.ts';
import { type Rule, rule } from './rule.ts';
import { LURE, STRONG_LURE } from './shape-rules.ts';
import type { Subject } from './subject.ts';

/** Addresses that a service makes for each branch and each build of a developer's site. */
const PREVIEW = /-git-|^deploy-preview-\d+--|^[0-9a-f]{24}--|^[0-9a-f]{8}\./;

function pointsOf({ suffix }: Subject): number {
  for (let at = 0; at >= 0; at = suffix.indexOf('.', at) + 1 || -1) {
    const points = INSTANT_HOSTS.get(suffix.slice(at));
    if (points !== undefined) return points;
  }
  return 0;
}

function isPreview({ name }: Subject): boolean {
  return PREVIEW.test(name);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

const COPIED = /clone?|login|sign|copy|ui|page|web|replica/;
const COPY = /^([a-z0-9]{5,20})(?:clone?|login|ui|page)/;

/** Returns true if a program chose the name, since nobody could remember it. */
function isMadeUp(name: string): boolean {
  const digits = count(name, /\d/g);
  return (
    digits >= 5 ||
    (count(name, /-/g) >= 3 && digits >= 2) ||
    (name.length >= 30 && digits >= 3) ||
    // Services end names with `-964590` or `-bb5b17`.
    /-(?=[a-f]{0,5}\d)[0-9a-f]{6}$/.test(name)
  );
}

/** All documentation there has names like those of phishing pages. */
function isDocumentation({ suffix }: Subject): boolean {
  return suffix === 'gitbook.io';
}

export const HOSTING_RULES: readonly Rule[] = [
  rule('instant-hosting', 'warn', 50, { threatType: 'phishing' }, (subject) => {
    const weight = pointsOf(subject);
    if (weight === 0 || isPreview(subject)) return undefined;
    return { evidence: `anybody can get a name under ${subject.suffix} immediately`, weight };
  }),
  rule('machine-made-tenant', 'warn', 50, { threatType: 'phishing', version: 2 }, (subject) => {
    if (!subject.isFreeHosting || isDocumentation(subject)) return undefined;
    const name = subject.name;
    const isMachineMade =
      count(name, /-/g) >= 3 || count(name, /\d/g) >= 4 || subject.labels.some((label) => label.length >= 30);
    if (!isMachineMade) return undefined;
    return { evidence: subject.host, weight: isPreview(subject) ? 10 : pointsOf(subject) > 0 ? 50 : 25 };
  }),
  rule('made-up-tenant', 'weigh', 30, { threatType: 'phishing' }, (subject) => {
    const name = subject.name;
    return subject.isFreeHosting && !isPreview(subject) && isMadeUp(name) ? name : undefined;
  }),
  rule('lure-on-free-hosting', 'warn', 50, { threatType: 'phishing', version: 2 }, (subject) => {
    if (!subject.isFreeHosting || isDocumentation(subject)) return undefined;
    const name = subject.name;
    const lure = LURE.exec(name)?.[0];
    if (lure === undefined) return undefined;
    return { evidence: lure, weight: isPreview(subject) ? 10 : STRONG_LURE.test(name) ? 50 : 20 };
  }),
  rule('tenant-near-brand', 'weigh', 50, { threatType: 'phishing', version: 2 }, (subject) => {
    if (pointsOf(subject) === 0 && !isDocumentation(subject)) return undefined;
    for (const label of subject.labels) {
      for (const word of label.split('-')) {
        const brand = nearBrand(word, 6) ?? brandNearStart(word);
        if (brand !== undefined) return `${word} is nearly ${brand}`;
      }
    }
    return undefined;
  }),
  rule('copy-of-brand', 'warn', 100, { threatType: 'phishing', version: 2 }, (subject) => {
    if (!subject.isFreeHosting || subject.labels.some(isBrandToken)) return undefined;
    const folder = subject.path.slice(1, 60).split('/', 1)[0]!.toLowerCase();
    const words = folder.split(/[^a-z0-9]+/).map((word) => (isBrandToken(word) ? word : word.split(/\d/, 1)[0]!));
    const brand = words.find((word) => isBrandToken(word) && !isWord(word)) ?? COPY.exec(folder)?.[1];
    if (brand === undefined || !isBrandToken(brand)) {
      const near = words.find((word) => nearBrand(word, 7) !== undefined);
      return near === undefined ? undefined : { evidence: `a page named ${folder}`, weight: 60 };
    }
    const isCopy = COPIED.test(folder) || words.every((word) => word === brand || word === '');
    return { evidence: `a page named ${folder}`, weight: isCopy ? 100 : 60 };
  }),
];
