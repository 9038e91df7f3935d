/** Rules about hosts that use somebody else's name. None applies to the owner's hosts. */
import {
  brandInside,
  brandReadInside,
  brandWithDoubledLetter,
  embeddedOfficial,
  isBrandToken,
  isOfficial,
  isWord,
  nearBrand,
} from './brand-names.ts';
import { mixesAlphabets, plainReadings, skeleton } from './look-alikes.ts';
import type { Rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** What an impersonating page asks for. */
const LURE = new Set(
  `login logon signin logins verify verification verifying verified verif secure secured security account accounts auth
   authenticate authentication authorize confirm confirmation unlock unlocked locked recover recovery restore suspended
   suspend billing refund wallet wallets airdrop claim support update updates validate validation kyc 2fa otp webscr
   password reset helpdesk customer activation reactivation connect import restriction alert alerts id`.split(/\s+/),
);
/** Those of them that are no part of a company name: "Vanguard Security" is a company, "Vanguard Login" is not. */
const PLAIN_LURE = new Set(
  `login logon signin logins verify verification verifying verified verif account accounts auth authenticate
   authentication authorize confirm confirmation unlock unlocked suspended suspend airdrop wallet wallets kyc 2fa otp
   webscr password reactivation recovery restore refund billing`.split(/\s+/),
);
/** Services where companies have tenants and files under their own names (`adobe-my.sharepoint.com`). */
const CORPORATE =
  /\.(?:sharepoint\.com|atlassian\.net|zendesk\.com|okta\.com|slack\.com|box\.com|amazonaws\.com(?:\.cn)?|cloudfront\.net|core\.windows\.net|azureedge\.net|azurefd\.net|trafficmanager\.net|akamaized\.net|fastly\.net|myshopify\.com|github\.dev)$/;
/** Services that show another site's page under a name derived from that site's. */
const PROXIES = /(?:^|\.)(?:translate\.goog|ampproject\.org|turbopages\.org|archive\.org|googleusercontent\.com)$/;

function isOwners({ host, domain, tenant, isFreeHosting }: Subject): boolean {
  return isOfficial(tenant) || (!isFreeHosting && isOfficial(domain)) || isOfficial(host) || PROXIES.test(host);
}

/** The words of the labels that a person chose, split at dots, dashes and underscores. */
function wordsOf({ labels }: Subject): string[] {
  return labels.flatMap((label) => label.split(/[-_]/)).filter((word) => word !== '');
}

/** The rules of this file skip trusted hosts. */
function unlessKnown(check: Rule['check']): Rule['check'] {
  return (subject) =>
    subject.labels.length === 0 || subject.isRanked || isOwners(subject) ? undefined : check(subject);
}

function impersonation(id: string, action: Rule['action'], check: Rule['check'], version = 1): Rule {
  return { id, version, action, threatType: 'phishing', check: unlessKnown(check) };
}

/** `paypal.com.evil.top`, but not `google.com.hk`, where the whole name is registered. */
function embedded({ host, domain, tenant }: Subject): string | undefined {
  const brand = embeddedOfficial(host.split('.'));
  if (brand === undefined) return undefined;
  return domain.startsWith(`${brand}.`) || tenant.startsWith(`${brand}.`) ? undefined : brand;
}

function embeddedWithDashes({ labels }: Subject): string | undefined {
  for (const label of labels) {
    if (!label.includes('-')) continue;
    const words = label.split('-');
    const brand = embeddedOfficial([...words, '']);
    if (brand !== undefined && isBrandToken(words[words.indexOf(brand.slice(0, brand.indexOf('.')))] ?? ''))
      return brand;
  }
  return undefined;
}

function tokenWithLure(subject: Subject): string | undefined {
  const words = wordsOf(subject);
  const brand = words.find(isBrandToken);
  if (brand === undefined) return undefined;
  const lure = words.find((word) => (isWord(brand) ? PLAIN_LURE : LURE).has(word));
  return lure === undefined ? undefined : `${brand} with ${lure} in ${subject.host}`;
}

/** "paypal.github.io" is a tenant of its own, usually the brand's. */
function isStrangersTenant({ isFreeHosting, labels, registeredName, host }: Subject): boolean {
  return isFreeHosting && !(labels.length === 1 && isBrandToken(registeredName)) && !CORPORATE.test(host);
}

function tokenOnFreeHosting(subject: Subject): string | undefined {
  if (!isStrangersTenant(subject)) return undefined;
  const brand = wordsOf(subject).find((word) => isBrandToken(word) && !isWord(word));
  return brand === undefined ? undefined : `${brand} in ${subject.host}`;
}

function brandInsideFreeHosting(subject: Subject): string | undefined {
  if (!isStrangersTenant(subject)) return undefined;
  const brand = brandInside(subject.labels.join('.'));
  return brand === undefined ? undefined : `${brand} in ${subject.host}`;
}

function typo({ registeredName, host, isFreeHosting }: Subject): string | undefined {
  const brand = isFreeHosting ? undefined : nearBrand(registeredName);
  return brand === undefined ? undefined : `${host} is one letter away from ${brand}`;
}

function digitsForLetters(subject: Subject): string | undefined {
  for (const word of [subject.registeredName, ...wordsOf(subject)]) {
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

function doubledLetter(subject: Subject, ofWords: boolean): string | undefined {
  for (const word of wordsOf(subject)) {
    const brand = brandWithDoubledLetter(word);
    if (brand !== undefined && isWord(brand) === ofWords) return `${word} is ${brand} with a letter doubled`;
  }
  return undefined;
}

function homograph({ unicodeHost }: Subject): string | undefined {
  for (const label of unicodeHost.split('.')) {
    if (/^[\x00-\x7f]*$/.test(label)) continue;
    const reading = skeleton(label);
    const brand = reading.split('-').find(isBrandToken) ?? brandReadInside(label, reading);
    if (brand !== undefined) return `${label} looks like ${brand}`;
  }
  return undefined;
}

export const BRAND_RULES: readonly Rule[] = [
  impersonation('idn-homograph', 'flag', homograph, 2),
  impersonation('target-embedding', 'flag', (subject) => {
    const brand = embedded(subject);
    return brand === undefined ? undefined : `${brand} inside ${subject.host}`;
  }),
  impersonation('target-embedding-dashed', 'flag', (subject) => {
    const brand = embeddedWithDashes(subject);
    return brand === undefined ? undefined : `${brand} inside ${subject.host}`;
  }),
  impersonation('brand-with-lure', 'flag', tokenWithLure),
  impersonation('brand-on-free-hosting', 'flag', tokenOnFreeHosting),
  impersonation('brand-inside-free-hosting', 'flag', brandInsideFreeHosting),
  impersonation('digits-for-letters', 'flag', digitsForLetters, 2),
  impersonation('brand-doubled-letter', 'flag', (subject) => doubledLetter(subject, false)),
  impersonation('brand-typo', 'flag', typo),
  {
    // A fake "prove that you are human" page that makes visitors run a command. Its file has a name like
    // `verification.google`, on hosts of all kinds (URLhaus, 2026).
    id: 'fake-verification',
    version: 1,
    action: 'flag',
    threatType: 'malware',
    readsPath: true,
    check: unlessKnown(({ path, host }) => {
      const brand = /\/(?:verification|verify|captcha|check|human)\.([a-z0-9]+)$/.exec(path)?.[1];
      return brand !== undefined && isBrandToken(brand)
        ? `${host} serves ${path.slice(path.lastIndexOf('/') + 1)}`
        : undefined;
    }),
  },
  impersonation('word-brand-doubled-letter', 'warn', (subject) => doubledLetter(subject, true)),
  impersonation('brand-near', 'warn', ({ registeredName, host }) => {
    const brand = nearBrand(registeredName, 5);
    return brand === undefined ? undefined : `${host} is one letter away from ${brand}`;
  }),
  impersonation('brand-under-other-suffix', 'warn', ({ registeredName, host }) =>
    isBrandToken(registeredName) ? `${registeredName} as ${host}` : undefined,
  ),
  impersonation('brand-inside-with-lure', 'warn', (subject) => {
    const name = subject.labels.join('.');
    const brand = brandInside(name);
    const lure = brand === undefined ? undefined : [...LURE].find((word) => word.length > 4 && name.includes(word));
    return lure === undefined ? undefined : `${brand} with ${lure} in ${subject.host}`;
  }),
  {
    id: 'mixed-alphabets',
    version: 1,
    action: 'warn',
    threatType: 'suspicious',
    check: ({ unicodeHost }) => unicodeHost.split('.').find(mixesAlphabets),
  },
  {
    id: 'emoji-host',
    version: 1,
    action: 'warn',
    threatType: 'suspicious',
    check: ({ unicodeHost }) =>
      /\p{Extended_Pictographic}/u.test(unicodeHost.replace(/[\x00-\x7f]/g, '')) ? unicodeHost : undefined,
  },
];
