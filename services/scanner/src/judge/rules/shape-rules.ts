/**
 * Rules about the shape of an address. They only warn: previews of a developer's branch look like phishing hosts that
 * are used once.
 */
import { type Rule, rule } from './rule.ts';
import type { Subject } from './subject.ts';

export const LURE =
  /log-?in|log-?on|(?:^|[^e])sign-?[io]n|verif|secur|account|auth|wallet|airdrop|claim|support|update|confirm|unlock|recover|mail|bank|pay|bonus|reward|gift|kyc|appeal|privacy|help|cent(?:er|re)|token|promo|credit|benefici|atualiza|acceso/;
export const STRONG_LURE = /log-?in|(?:^|[^e])sign-?in|verif|secure|account|wallet|airdrop|claim/;

/** These suffixes cost almost nothing and have far more phishing than ordinary sites. */
const CHEAP_SUFFIXES = new Set(
  `autos beauty bid boats bond buzz cc cf cfd click cyou fun ga gq hair homes icu live loan lol makeup ml mom monster
   online pics quest rest sbs shop site skin su tk top vip win work ws xyz yachts`.split(/\s+/),
);

const SIGN_IN_FILE =
  /^(?:log-?in|sign[-_]?in|verify|verification|submit|confirm|secure|password|payment|passwd)\.(?:php|html?)\/?$/i;
const MAIL_ADDRESS = /[a-z0-9](?:@|%(?:25)?40)[a-z0-9-]{1,63}\.[a-z0-9.]{2,40}/i;

function isUnknown({ isRanked, isIp, isFreeHosting }: Subject): boolean {
  return !isRanked && !isIp && !isFreeHosting;
}

function isCheap({ host }: Subject): boolean {
  return CHEAP_SUFFIXES.has(host.slice(host.lastIndexOf('.') + 1));
}

function belowWordpress(path: string): string {
  const folder = /\/wp-(?:content|includes|admin)\//.exec(path);
  return folder === null ? '' : path.slice(folder.index + folder[0].length);
}

export const SHAPE_RULES: readonly Rule[] = [
  rule('lure-on-cheap-suffix', 'warn', 50, { threatType: 'phishing', version: 2 }, (subject) => {
    const { name, path } = subject;
    if (!isUnknown(subject) || !isCheap(subject)) return undefined;
    const lure = LURE.exec(`${name}${path.toLowerCase()}`)?.[0];
    return lure === undefined ? undefined : { evidence: lure, weight: path.length > 1 ? 50 : 40 };
  }),
  rule('lure-in-name', 'weigh', 15, { threatType: 'phishing' }, (subject) =>
    isUnknown(subject) && STRONG_LURE.test(subject.name) ? subject.host : undefined,
  ),
  // A break-in leaves a phishing kit among the program files of a site.
  rule('hidden-in-wordpress', 'warn', 50, { threatType: 'phishing' }, ({ isRanked, path }) => {
    if (isRanked || !/(?:\.php|\.html?|\/)$/.test(belowWordpress(path))) return undefined;
    return /\/uploads\/\d{4}\//.test(path) ? undefined : path.slice(0, 100);
  }),
  rule('cheap-suffix', 'weigh', 30, { threatType: 'phishing', version: 2 }, (subject) => {
    if (!isUnknown(subject) || !isCheap(subject) || LURE.test(subject.name)) return undefined;
    return { evidence: subject.suffix, weight: subject.path.length > 1 ? 30 : 15 };
  }),
  // The form of a phishing kit has a file; honest sites have a page without an extension.
  rule('sign-in-file', 'warn', 60, { threatType: 'phishing' }, ({ isRanked, path }) => {
    const file = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
    return !isRanked && SIGN_IN_FILE.test(file) ? file : undefined;
  }),
  // The page is made for one victim, and shows the address that it was sent to.
  rule('carries-mail-address', 'warn', 60, { threatType: 'phishing', version: 2 }, ({ isRanked, url }) => {
    if (isRanked) return undefined;
    const address = MAIL_ADDRESS.exec(
      `${url.pathname.slice(0, 300)}${url.search.slice(0, 300)}${url.hash.slice(0, 300)}`,
    );
    return address === null ? undefined : 'an e-mail address';
  }),
];
