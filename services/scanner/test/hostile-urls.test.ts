import { describe, expect, test } from '@jest/globals';
import { type HostileUrl, hostileUrls, type Kit, newScanner } from './scanner-kit.ts';

const LISTED = 'http://listed.example.net/malware.exe';
const OUTCOMES = {
  reject: /^refused$/,
  flag: /^flagged$/,
  accept: /^(clean|warned)$/,
  accept_normalised: /^(clean|warned)$/,
  accept_warn: /^(clean|warned)$/,
};

async function expectOutcome(scanner: Kit, { input, expect: expected }: HostileUrl): Promise<void> {
  const outcome = await scanner.outcome(input);
  expect({ input, outcome }).toEqual({ input, outcome: expect.stringMatching(OUTCOMES[expected]) });
}

const kit = await newScanner();
await kit.list('listed', [LISTED], { threatType: 'malware' });

const byCategory = Map.groupBy(hostileUrls(), ({ category }) => category);

describe('hostile input', () => {
  test.each([...byCategory])('%s', async (_, urls) => {
    for (const url of urls) await expectOutcome(kit, url);
  });

  test('gets the same verdict from the shipped data', async () => {
    const shipped = await newScanner({ shippedFeedsFile: undefined as never });
    for (const url of hostileUrls()) {
      if (url.expect === 'flag' && !/homograph|payload|obfuscated|embedding|typo/.test(url.category)) continue;
      await expectOutcome(shipped, url);
    }
  });
});

test('a refusal says why, in the words of the policy', async () => {
  const { verdicts } = await kit.scanner.scan(['javascript:alert(1)']);
  expect(verdicts[0]).toEqual({
    url: 'javascript:alert(1)',
    outcome: 'refused',
    threat_type: null,
    reasons: [{ rule: 'url-policy', evidence: 'must be an absolute URL that begins with http:// or https://' }],
  });
});

test('evidence holds no half of a character and no NUL, which no store takes', async () => {
  const inBase64 = Buffer.from('http://evil-blog.net/wp-content/%00.php').toString('base64');
  const found = await kit.scanner.scan([
    `https://some-blog.net/wp-content/plugins/${'a'.repeat(79)}😀/x.php`,
    `https://some-blog.net/?to=${inBase64}`,
  ]);
  const [cut, withNul] = found.verdicts.map(({ reasons }) => reasons);
  const rule = 'hidden-in-wordpress';
  expect(cut).toContainEqual({ rule, evidence: `/wp-content/plugins/${'a'.repeat(79)}\ufffd` });
  expect(withNul).toContainEqual({ rule, evidence: '/wp-content/\ufffd.php' });
});
