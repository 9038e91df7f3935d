import type { Words } from './words.ts';

export const en: Words = {
  revoked: {
    title: 'The owner switched off this link',
    text: 'It was revoked on {date}. It will not work again, and this address will never lead anywhere else.',
    whatNow: 'Still need what it pointed to? Ask the person or the page that gave you this link.',
  },
  flagged: {
    title: 'We stopped here because this link may be dangerous',
    suspected: {
      malware:
        'The page behind it is suspected of spreading **malware**: programs that harm your device or steal from it.',
      phishing:
        'The page behind it is suspected of **phishing**: posing as someone you trust to get passwords or money.',
      harmful_application:
        'The page behind it is suspected of offering a **harmful app**: one that spies on you or damages your device.',
      scam: 'The page behind it is suspected of a **scam**: a false promise, made to get your money or your data.',
      unwanted_software:
        'The page behind it is suspected of spreading **unwanted software**: programs that change your device in ways you did not ask for.',
      spam: 'The page behind it is suspected of **spam**: advertising sent in bulk to people who did not ask for it.',
      suspicious: 'The page behind it looks **suspicious**: it has signs that dangerous pages often have.',
      policy_violation: 'The page behind it may **break the rules** of this service.',
    },
    check: 'The check is automatic and can be wrong. Nobody is sent there while the flag stands.',
    whatNow: {
      password: 'If you gave a password on that page before, change it now, starting at the real site.',
      download: 'If you installed something from that page before, remove it and check your device.',
    },
  },
  threat: {
    malware: 'Malware',
    phishing: 'Phishing',
    harmful_application: 'Harmful app',
    scam: 'Scam',
    unwanted_software: 'Unwanted software',
    spam: 'Spam',
    suspicious: 'Suspicious page',
    policy_violation: 'Breach of the rules',
  },
  notFound: {
    title: 'There is no link at this address',
    text: 'Check it for typing mistakes. Capital and small letters are different here, and so are 0 and O, 1 and l.',
    note: 'A link that once worked here would say so: addresses are never deleted or given away.',
  },
  preview: {
    title: '{link} leads to',
    verdict: '**No threat was found {age}.** That is not a promise that the page is safe.',
    unknown:
      '**This leads to another link shortener, and we do not know yet where it ends.** Continue only if you trust whoever gave you this link.',
    go: 'Continue to this page',
    note: 'Looking at this page is not counted as a click.',
  },
  unavailable: {
    title: 'This link cannot be looked up right now',
    text: 'The fault is ours, and the link may well work. Please try again in a few seconds.',
  },
  home: {
    title: 'Short links live here',
    text: 'Each address here leads to another page. Add a + to the end of one to see where it leads before you go.',
  },
  label: {
    link: 'Link',
    requested: 'You asked for',
    suspected: 'Suspected',
    checked: 'Last checked',
    language: 'Language',
    report: 'Report this link',
    review: 'Request a review',
  },
};
