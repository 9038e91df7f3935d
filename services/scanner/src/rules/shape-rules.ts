/**
 * Rules about the shape of an address. Each shape is common among phishing pages and rare elsewhere, but not rare
 * enough to flag: previews of a developer's branch look just like a throw-away phishing host. So these rules only warn.
 */
import type { Rule } from './rule.ts';
import type { Subject } from './subject.ts';

const LURE =
  /log-?in|log-?on|sign-?[io]n|verif|secur|account|auth|wallet|airdrop|claim|support|update|confirm|unlock|recover|mail|bank|pay|bonus|reward|gift|kyc|appeal|privacy|help|cent(?:er|re)|token|promo|credit|benefici|atualiza|acceso/;
const STRONG_LURE = /log-?in|sign-?in|verif|secure|account|wallet|airdrop|claim/;

/** Suffixes that cost almost nothing and have far more phishing than ordinary use. */
const CHEAP_SUFFIXES = new Set(
  `autos beauty bid boats bond buzz cc cf cfd click cyou fun ga gq hair homes icu live loan lol makeup ml mom monster
   online pics quest rest sbs shop site skin su tk top vip win work ws xyz yachts`.split(/\s+/),
);

function warning(id: string, check: Rule['check'], more: Pick<Rule, 'readsPath'> = {}): Rule {
  return { id, version: 1, action: 'warn', threatType: 'phishing', check, ...more };
}

function isUnknown({ isRanked, isIp, isFreeHosting }: Subject): boolean {
  return !isRanked && !isIp && !isFreeHosting;
}

function count(text: string, wanted: RegExp): number {
  return text.match(wanted)?.length ?? 0;
}

function belowWordpress(path: string): string {
  const folder = /\/wp-(?:content|includes|admin)\//.exec(path);
  return folder === null ? '' : path.slice(folder.index + folder[0].length);
}

export const SHAPE_RULES: readonly Rule[] = [
  warning('machine-made-tenant', ({ isFreeHosting, labels, host }) => {
    if (!isFreeHosting) return undefined;
    const name = labels.join('.');
    const isMachineMade =
      count(name, /-/g) >= 3 || count(name, /\d/g) >= 4 || labels.some((label) => label.length >= 30);
    return isMachineMade ? host : undefined;
  }),
  warning('lure-on-free-hosting', ({ isFreeHosting, labels }) =>
    isFreeHosting ? LURE.exec(labels.join('.'))?.[0] : undefined,
  ),
  warning(
    'lure-on-cheap-suffix',
    (subject) => {
      const { host, labels, path } = subject;
      if (!isUnknown(subject) || !CHEAP_SUFFIXES.has(host.slice(host.lastIndexOf('.') + 1))) return undefined;
      return LURE.exec(`${labels.join('.')}${path.toLowerCase()}`)?.[0];
    },
    { readsPath: true },
  ),
  warning('lure-in-name', (subject) =>
    isUnknown(subject) && STRONG_LURE.test(subject.labels.join('.')) ? subject.host : undefined,
  ),
  // Phishing kits are where a break-in leaves them: among the program files of somebody's site.
  warning(
    'hidden-in-wordpress',
    ({ isRanked, path }) => {
      if (isRanked || !/(?:\.php|\.html?|\/)$/.test(belowWordpress(path))) return undefined;
      return /\/uploads\/\d{4}\//.test(path) ? undefined : path.slice(0, 100);
    },
    { readsPath: true },
  ),
];
