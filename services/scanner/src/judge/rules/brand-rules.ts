/** Rules about hosts with somebody else's name. None applies to the owner's hosts. */
import {
  brandInside,
  brandReadInside,
  brandWithDoubledLetter,
  embeddedOfficial,
  isBrandToken,
  isOfficialOf,
  isWord,
  mistypedLargeBrand,
  nearBrand,
} from './brand-names.ts';
import { mixesAlphabets, plainReadings, skeleton } from './look-alikes.ts';
import { type Rule, rule, type Sign, type Traits } from './rule.ts';
import type { Subject } from './subject.ts';

const LURE = new Set(
  `login logon signin logins verify verification verifying verified verif secure secured security account accounts auth
   authenticate authentication authorize confirm confirmation unlock unlocked locked recover recovery restore suspended
   suspend billing refund wallet wallets airdrop claim support update updates validate validation kyc 2fa otp webscr
   password reset helpdesk customer activation reactivation connect import restriction alert alerts id`.split(/\s+/),
);
/** "Vanguard Security" is a company, "Vanguard Login" is not. */
const PLAIN_LURE = new Set(
  `login logon signin logins verify verification verifying verified verif account accounts auth authenticate
   authentication authorize confirm confirmation unlock unlocked suspended suspend airdrop wallet wallets kyc 2fa otp
   webscr password reactivation recovery restore refund billing`.split(/\s+/),
);
/** "1cloud" is not meant to be read as icloud. */
const CHANCE = /1cloud/;
/** Services where companies have tenants and files under their own names (`adobe-my.sharepoint.com`). */
const CORPORATE = [
  /\.(?:(?:box|myshopify|okta|sharepoint|slack|zendesk)\.com|amazonaws\.com(?:\.cn)?|github\.dev)$/,
  /\.(?:akamaized|atlassian|azureedge|azurefd|cloudfront|core\.windows|fastly|trafficmanager)\.net$/,
];
const DEVELOPERS =
  /^(?:github\.io|gitlab\.io|appspot\.com|azurewebsites\.net|cloudapp\.azure\.com|core\.windows\.net)$/;

/** A rule for hosts that are not trusted. */
function impersonation(
  id: string,
  action: Rule['action'],
  weight: number,
  traits: Partial<Traits>,
  check: Rule['check'],
): Rule {
  return rule(id, action, weight, { threatType: 'phishing', ...traits }, (subject) =>
    subject.labels.length === 0 || subject.isRanked || subject.isOfficial ? undefined : check(subject),
  );
}

/** `paypal.com.evil.top`, but not `google.com.hk`, where the whole name is registered. */
function embedded({ host, domain, tenant }: Subject): string | undefined {
  const brand = embeddedOfficial(host.split('.'));
  if (brand === undefined) return undefined;
  return domain.startsWith(`${brand}.`) || tenant.startsWith(`${brand}.`) ? undefined : `${brand} inside ${host}`;
}

function embeddedWithDashes({ labels, host }: Subject): string | undefined {
  for (const label of labels) {
    if (!label.includes('-')) continue;
    const words = label.split('-');
    const brand = embeddedOfficial([...words, '']);
    if (brand !== undefined && isBrandToken(words[words.indexOf(brand.slice(0, brand.indexOf('.')))] ?? ''))
      return `${brand} inside ${host}`;
  }
  return undefined;
}

function tokenWithLure({ words, host }: Subject): string | undefined {
  const brand = words.find(isBrandToken);
  if (brand === undefined) return undefined;
  const lure = words.find((word) => (isWord(brand) ? PLAIN_LURE : LURE).has(word));
  return lure === undefined ? undefined : `${brand} with ${lure} in ${host}`;
}

/** `paypal.github.io` is usually the brand's own. */
function isStrangersTenant({ isFreeHosting, labels, registeredName, host }: Subject): boolean {
  return (
    isFreeHosting &&
    !(labels.length === 1 && isBrandToken(registeredName)) &&
    !CORPORATE.some((pattern) => pattern.test(host))
  );
}

function tokenOnFreeHosting(subject: Subject): Sign | undefined {
  if (!isStrangersTenant(subject)) return undefined;
  const brand = subject.words.find((word) => isBrandToken(word) && !isWord(word));
  return brand === undefined ? undefined : borrowed(brand, subject);
}

function brandInsideFreeHosting(subject: Subject): Sign | undefined {
  if (!isStrangersTenant(subject) || tokenOnFreeHosting(subject) !== undefined) return undefined;
  const brand = brandInside(subject.name);
  return brand === undefined ? undefined : borrowed(brand, subject);
}

/** Where developers publish, a name like `adobe-type-tools` may be the owner's, and flags only with several signs. */
function borrowed(brand: string, { host, suffix }: Subject): Sign | undefined {
  if (isOfficialOf(brand, suffix)) return undefined;
  return { evidence: `${brand} in ${host}`, weight: DEVELOPERS.test(suffix) ? 35 : 100 };
}

function typo({ registeredName, host, isFreeHosting }: Subject): string | undefined {
  const brand = isFreeHosting ? undefined : nearBrand(registeredName);
  if (brand === undefined || registeredName.replaceAll('-', '') === brand) return undefined;
  return `${host} is one letter away from ${brand}`;
}

function digitsForLetters({ registeredName, words }: Subject): string | undefined {
  for (const word of new Set([registeredName, ...words])) {
    if (CHANCE.test(word)) continue;
    for (const reading of plainReadings(word)) {
      const isWhole = isBrandToken(reading) && !isChance(word, reading);
      const brand = isWhole ? reading : brandReadInside(word, reading);
      if (brand !== undefined) return `${word} reads as ${brand}`;
    }
  }
  return undefined;
}

/** "Stearn" is a name, and "5team" is a team of five. */
function isChance(word: string, brand: string): boolean {
  return isWord(brand) && (/^\d/.test(word) || !/\d/.test(word));
}

function doubledLetter({ words }: Subject, ofWords: boolean): string | undefined {
  for (const word of words) {
    const brand = brandWithDoubledLetter(word);
    if (brand !== undefined && isWord(brand) === ofWords) return `${word} is ${brand} with a letter doubled`;
  }
  return undefined;
}

function homograph({ unicodeHost, host }: Subject): string | undefined {
  if (unicodeHost === host) return undefined;
  for (const label of unicodeHost.split('.')) {
    if (/^[\x00-\x7f]*$/.test(label)) continue;
    const reading = skeleton(label);
    const brand = reading.split('-').find(isBrandToken) ?? brandReadInside(label, reading);
    if (brand !== undefined) return `${label} looks like ${brand}`;
  }
  return undefined;
}

export const BRAND_RULES: readonly Rule[] = [
  impersonation('idn-homograph', 'flag', 100, { version: 2 }, homograph),
  impersonation('target-embedding', 'flag', 100, {}, embedded),
  impersonation('target-embedding-dashed', 'flag', 100, {}, embeddedWithDashes),
  impersonation('brand-with-lure', 'flag', 100, {}, tokenWithLure),
  impersonation('brand-on-free-hosting', 'warn', 100, { version: 3 }, tokenOnFreeHosting),
  impersonation('brand-inside-free-hosting', 'warn', 100, { version: 3 }, brandInsideFreeHosting),
  impersonation('digits-for-letters', 'flag', 100, { version: 2 }, digitsForLetters),
  impersonation('large-brand-mistyped', 'flag', 100, {}, ({ registeredName, isFreeHosting, host }) => {
    const brand = isFreeHosting ? undefined : mistypedLargeBrand(registeredName);
    return brand === undefined ? undefined : `${host} is ${brand} mistyped`;
  }),
  impersonation('brand-doubled-letter', 'warn', 90, {}, (subject) => doubledLetter(subject, false)),
  impersonation('brand-typo', 'warn', 70, { version: 3 }, typo),
  // A fake "prove that you are human" page that makes visitors run a command. Its file has a name like
  // `verification.google`, on hosts of all kinds (URLhaus, 2026).
  impersonation('fake-verification', 'flag', 100, { threatType: 'malware' }, ({ path, host }) => {
    const brand = /\/(?:verification|verify|captcha|check|human)\.([a-z0-9]+)$/.exec(path)?.[1];
    return brand !== undefined && isBrandToken(brand)
      ? `${host} serves ${path.slice(path.lastIndexOf('/') + 1)}`
      : undefined;
  }),
  impersonation('word-brand-doubled-letter', 'warn', 60, {}, (subject) => doubledLetter(subject, true)),
  impersonation('brand-near', 'weigh', 30, {}, ({ registeredName, host }) => {
    const brand = nearBrand(registeredName, 5);
    return brand === undefined || nearBrand(registeredName) !== undefined
      ? undefined
      : `${host} is one letter away from ${brand}`;
  }),
  // Brands have sites under many suffixes, and harmless sites with such names are rarely more than a front page.
  impersonation('brand-before-name', 'warn', 60, {}, ({ labels, isFreeHosting, host }) => {
    const brand = isFreeHosting
      ? undefined
      : labels.slice(0, -1).find((label) => isBrandToken(label) && !isWord(label));
    return brand === undefined ? undefined : `${brand} as a part of ${host}`;
  }),
  impersonation('brand-among-words', 'weigh', 40, {}, ({ registeredName, isFreeHosting, host }) => {
    const words = isFreeHosting ? [] : registeredName.split('-');
    const brand = words.length < 2 ? undefined : words.find((word) => isBrandToken(word) && !isWord(word));
    return brand === undefined ? undefined : `${brand} with other words in ${host}`;
  }),
  // `/www-paypal-com-users-1` is written for people: programs have no use for an address in a path.
  impersonation('brand-address-in-path', 'warn', 100, {}, ({ path, host }) => {
    const brand = /www-?([a-z0-9]{5,20})-?com/i.exec(path.slice(0, 200))?.[1]?.toLowerCase();
    return brand !== undefined && isBrandToken(brand) ? `${host} with ${brand} in the path` : undefined;
  }),
  impersonation('brand-under-other-suffix', 'warn', 60, { version: 4 }, (subject) => {
    const { registeredName, host, isFreeHosting, url } = subject;
    if (!isBrandToken(registeredName)) return undefined;
    const hasPage = url.pathname.length > 1 && !isFreeHosting;
    return { evidence: `${registeredName} as ${host}`, weight: hasPage ? 60 : 15 };
  }),
  impersonation('brand-inside-with-lure', 'warn', 60, {}, (subject) => {
    const name = subject.name;
    const brand = brandInside(name);
    const lure = brand === undefined ? undefined : [...LURE].find((word) => word.length > 4 && name.includes(word));
    return lure === undefined ? undefined : `${brand} with ${lure} in ${subject.host}`;
  }),
  rule('mixed-alphabets', 'warn', 50, { threatType: 'suspicious' }, ({ unicodeHost, host }) =>
    unicodeHost === host ? undefined : unicodeHost.split('.').find(mixesAlphabets),
  ),
  rule('emoji-host', 'warn', 30, { threatType: 'suspicious' }, ({ unicodeHost, host }) =>
    unicodeHost !== host && /\p{Extended_Pictographic}/u.test(unicodeHost.replace(/[\x00-\x7f]/g, ''))
      ? unicodeHost
      : undefined,
  ),
];
