import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hostileUrls } from '../../../test/scanner-kit.ts';
import { BRANDS, MOST_VISITED } from '../../data.ts';
import { RULES, rulesWithout } from '../rule-set.ts';
import { plainReadings, skeleton } from './look-alikes.ts';
import { FLAG_POINTS } from './rule.ts';
import { subjectOf } from './subject.ts';

function rulesFor(url: string): string[] {
  const subject = subjectOf(url, new URL(url));
  return RULES.filter(({ check }) => check(subject) !== undefined).map(({ id }) => id);
}

/** Returns the rules that flag the URL: each of them alone, or all signs together by the sum of their points. */
function flagsFor(url: string): string[] {
  const subject = subjectOf(url, new URL(url));
  const signs = RULES.flatMap((rule) => {
    const sign = rule.check(subject);
    return sign === undefined ? [] : { rule, weight: typeof sign === 'string' ? rule.weight : sign.weight };
  });
  const points = signs.reduce((sum, { weight }) => sum + weight, 0);
  return signs.filter(({ rule }) => rule.action === 'flag' || points >= FLAG_POINTS).map(({ rule }) => rule.id);
}

const FOUND: readonly [id: string, url: string][] = [
  ['ip-payload', 'http://45.33.32.156/bins/mirai.arm7'],
  ['ip-payload', 'http://45.33.32.156:8000/update.exe'],
  ['ip-payload', 'http://45.33.32.156/i'],
  ['ip-odd-port', 'http://45.33.32.156:41494/x'],
  ['ip-obfuscated', 'http://134744072/'],
  ['ip-obfuscated', 'http://1.2.3.0x4/'],
  ['bot-binary', 'http://files.example.net/bins/space.arm7'],
  ['bot-binary', 'http://files.example.net/bins/space.x86'],
  ['executable-download', 'https://files.example.net/Proposal.pdf.lnk'],
  ['copy-of-brand', 'https://somebody.github.io/spotify9/'],
  ['copy-of-brand', 'https://somebody.github.io/unstagram/'],
  ['tenant-near-brand', 'https://trezurwallet.gitbook.io/'],
  ['fake-verification', 'https://node.example.net/verification.google'],
  ['machine-made-tenant', 'https://sp1ct6-glar-biz-qol.pages.dev/'],
  ['machine-made-tenant', 'https://verified1242365.pages.dev/'],
  ['lure-on-free-hosting', 'https://secure-desk.weebly.com/'],
  ['lure-on-cheap-suffix', 'https://kqzx.top/pay/login'],
  ['lure-in-name', 'https://my-login-desk.net/'],
  ['hidden-in-wordpress', 'https://shop.example.net/wp-includes/kit/index.html'],
  ['archive-in-repository', 'https://github.com/someone/tool/raw/refs/heads/main/odd/tool_v2.4.zip'],
  ['instant-hosting', 'https://somebody.weebly.com/'],
  ['made-up-tenant', 'https://bright-field-964590.framer.app/'],
  ['tenant-near-brand', 'https://kucooinlogi.webflow.io/'],
  ['copy-of-brand', 'https://someone.github.io/Netflix-Clone/'],
  ['cheap-suffix', 'https://kqzx.top/'],
  ['sign-in-file', 'https://desk.example.net/a/login.php'],
  ['carries-mail-address', 'https://desk.example.net/a?x=some.one@example.com'],
  ['brand-before-name', 'https://shopee.some-desk.net/'],
  ['brand-among-words', 'https://roblox-desk.net/'],
  ['brand-address-in-path', 'https://desk.example.net/www-roblox-com-users-1'],
  ['lexical-model', 'https://steam-rewards-claim.top/'],
  ['ip-host', 'http://45.33.32.156/'],
  ['free-hosting-executable', 'https://files-xyz.netlify.app/setup.exe'],
  ['executable-download', 'https://downloads.example.net/a.hta'],
  ['shortener', 'https://bit.ly/abc'],
  ['names-an-address', 'http://192-168-1-1.sslip.io/'],
  ['idn-homograph', 'https://xn--80ak6aa92e.com/'],
  ['idn-homograph', 'https://secure.pаypal.com.evil.example.org/'],
  ['target-embedding', 'https://paypal.com.evil-site.top/signin'],
  ['target-embedding-dashed', 'https://www-paypal-com.evil-site.top/'],
  ['brand-with-lure', 'https://paypal-login-secure.com/'],
  ['brand-with-lure', 'https://apple-id-verify.com/'],
  ['brand-on-free-hosting', 'https://metamask-app.webflow.io/'],
  ['brand-inside-free-hosting', 'https://mymetamaskxyz.webflow.io/'],
  ['digits-for-letters', 'https://paypa1.com/'],
  ['digits-for-letters', 'https://rnicrosoft.com/'],
  ['digits-for-letters', 'https://faceb00k-help.com/'],
  ['digits-for-letters', 'https://paypa1login.com/'],
  ['digits-for-letters', 'https://g00gleaccounts.net/'],
  ['digits-for-letters', 'https://rnicrosoftonline.com/'],
  ['idn-homograph', 'https://pаypallogin.com/'],
  ['idn-homograph', 'https://pɑypallogin.com/'],
  ['idn-homograph', 'https://micrоsoftonline.com/'],
  ['idn-homograph', 'https://login.faceboоkhelp.example.org/'],
  ['large-brand-mistyped', 'https://gooogle.net/'],
  ['large-brand-mistyped', 'https://facebok.net/'],
  ['large-brand-mistyped', 'https://amzaon.net/'],
  ['large-brand-mistyped', 'https://faceboik.net/'],
  ['large-brand-mistyped', 'https://instaqram.net/'],
  ['brand-doubled-letter', 'https://paypall.com/'],
  ['brand-doubled-letter', 'https://googgle.com/'],
  ['brand-doubled-letter', 'https://gooogle.co.uk/'],
  ['brand-doubled-letter', 'https://amazzon-desk.net/'],
  ['brand-doubled-letter', 'https://nettflix.github.io/'],
  ['word-brand-doubled-letter', 'https://applle.com/'],
  ['word-brand-doubled-letter', 'https://chasee-desk.com/'],
  ['ip-obfuscated', 'http://8.8.8.8./x'],
  ['ip-obfuscated', 'http://45.33.32.156.:8080/'],
  ['brand-typo', 'https://micosoft.com/'],
  ['brand-near', 'https://paypai.net/'],
  ['brand-under-other-suffix', 'https://paypal.example-suffix.co/'.replace('.example-suffix', '')],
  ['brand-inside-with-lure', 'https://mymicrosoftaccountlogin.net/'],
  ['mixed-alphabets', 'https://exаmple.com/'],
  ['emoji-host', 'https://i❤.ws/'],
];

describe('each rule finds its example', () => {
  test.each(FOUND)('%s: %s', (id, url) => {
    expect(rulesFor(url)).toContain(id);
  });

  test('a word or another edit is not taken for a large brand mistyped', () => {
    const names = ['papal', 'goole', 'cosco', 'amazin', 'ucloud', 'googl', 'mobile', 'paypad', 'linkedit', 'facebooks'];
    expect(names.filter((name) => rulesFor(`https://${name}.net/`).includes('large-brand-mistyped'))).toEqual([]);
  });

  test('ids are unique, and the version names every rule that is not switched off', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    expect(rulesWithout(['ip-host']).version).not.toContain('ip-host@');
    for (const { id } of RULES) expect(rulesWithout([]).version).toContain(`${id}@`);
  });
});

describe('nothing is flagged', () => {
  test('on the 20,000 most visited domains, nor on the domains that a brand owns', () => {
    const flagged = [...MOST_VISITED, ...BRANDS.flatMap(({ official }) => official)].flatMap((host) =>
      ['', 'login.'].map((prefix) => `https://${prefix}${host}/account/login`),
    );
    expect(flagged.filter((url) => URL.canParse(url) && flagsFor(url).length > 0)).toEqual([]);
  });
});

describe('laws', () => {
  test('no URL makes a rule throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.ipV4(), fc.ipV6()),
        (text) => {
          const url = URL.parse(text.startsWith('http') ? text : `http://${text.includes(':') ? `[${text}]` : text}/a`);
          if (url !== null) for (const { check } of RULES) check(subjectOf(url.href, url));
        },
      ),
    );
    for (const { input } of hostileUrls()) {
      const url = URL.parse(input);
      if (url !== null && /^https?:$/.test(url.protocol)) for (const { check } of RULES) check(subjectOf(input, url));
    }
  });

  test('the skeleton of plain text is the text itself, and a reading always differs from the word', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,20}$/), (word) => {
        expect(skeleton(word)).toBe(word);
        expect(plainReadings(word)).not.toContain(word);
      }),
    );
  });
});
