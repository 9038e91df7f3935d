import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ThreatType } from '@waypost/domain';
import type { UrlScanner } from '@waypost/ports';

export interface UrlScannerUnderTest {
  readonly scanner: UrlScanner;
  /** A scanner of the same kind that has no threat data yet. */
  readonly withoutData: UrlScanner;
  /** Lists a URL as a threat. Resolves to the generation of the list once verdicts use it. */
  list(url: string, threatType: ThreatType): Promise<string>;
  close(): Promise<void>;
}

const CLEAN = 'https://example.com/';

export function urlScannerContract(name: string, open: () => Promise<UrlScannerUnderTest>): void {
  describe(`UrlScanner: ${name}`, () => {
    let opened: UrlScannerUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    let listed = 0;
    const newUrl = () => `http://bad${listed++}.example.net/x`;
    const outcomes = async (urls: readonly string[]) =>
      (await opened.scanner.scan(urls)).verdicts.map(({ outcome }) => outcome);

    test('decides each URL in its position, repetitions included, by one generation', async () => {
      const bad = newUrl();
      const generation = await opened.list(bad, 'scam');
      const urls = [CLEAN, bad, 'javascript:alert(1)', CLEAN, 'https://t.co/abc', bad];
      const result = await opened.scanner.scan(urls);
      expect(result.generation).toBe(generation);
      expect(result.verdicts.map(({ url, outcome, threat_type }) => [url, outcome, threat_type])).toEqual([
        [CLEAN, 'clean', null],
        [bad, 'flagged', 'scam'],
        ['javascript:alert(1)', 'refused', null],
        [CLEAN, 'clean', null],
        ['https://t.co/abc', 'warned', 'suspicious'],
        [bad, 'flagged', 'scam'],
      ]);
      expect(await opened.scanner.scan(urls)).toEqual(result);
    });

    test('gives the reasons of a verdict', async () => {
      const bad = newUrl();
      await opened.list(bad, 'phishing');
      const { verdicts } = await opened.scanner.scan([bad, CLEAN, 'http://localhost/']);
      const [flagged, clean, refused] = verdicts.map(({ reasons }) => reasons);
      const reason = { rule: expect.stringMatching(/^feed:/), evidence: bad.slice('http://'.length) };
      expect(flagged).toEqual([reason]);
      expect(clean).toEqual([]);
      expect(refused).toEqual([{ rule: 'url-policy', evidence: expect.stringMatching(/\S/) }]);
    });

    test('takes any text as a URL, and returns it as sent', async () => {
      const texts = [
        '',
        ' ',
        'x',
        '\u0000',
        '\ud800',
        '"\\\n',
        'ü😀',
        `${CLEAN}ü?a=%20`,
        '__proto__',
        'x'.repeat(5_000),
      ];
      const { verdicts } = await opened.scanner.scan(texts);
      expect(verdicts.map(({ url }) => url)).toEqual(texts);
    });

    test('accepts 500 URLs of full length in one call', async () => {
      const long = Array.from({ length: 500 }, (_, i) => `${CLEAN}${'é'.repeat(330)}${i}`);
      const { verdicts } = await opened.scanner.scan(long);
      expect(verdicts.map(({ url }) => url)).toEqual(long);
    });

    test('gives each of twenty concurrent callers the answer to its own request', async () => {
      const questions = Array.from({ length: 20 }, (_, i) =>
        Array.from({ length: i + 1 }, (_, n) => `${CLEAN}${i}/${n}`),
      );
      const answers = await Promise.all(questions.map((urls) => opened.scanner.scan(urls)));
      expect(answers.map(({ verdicts }) => verdicts.map(({ url }) => url))).toEqual(questions);
    });

    test('decides a whole call by one generation, even while a new one takes effect', async () => {
      const bad = newUrl();
      const urls = Array.from({ length: 200 }, (_, i) => `${bad}?${i}`);
      let isListed = false;
      const listing = opened.list(bad, 'malware').finally(() => {
        isListed = true;
      });
      const results: Awaited<ReturnType<UrlScanner['scan']>>[] = [];
      while (!isListed) results.push(await opened.scanner.scan(urls));
      const generation = await listing;
      results.push(await opened.scanner.scan(urls));
      expect(results.at(-1)!.generation).toBe(generation);
      for (const result of results) {
        const expected = result.generation === generation ? 'flagged' : 'clean';
        expect(new Set(result.verdicts.map(({ outcome }) => outcome))).toEqual(new Set([expected]));
      }
    });

    test('decides nothing without threat data: `unavailable`', async () => {
      const scan = opened.withoutData.scan([CLEAN]);
      await expect(scan).rejects.toMatchObject({ name: 'DomainError', code: 'unavailable' });
      expect(await outcomes([CLEAN])).toEqual(['clean']);
    });
  });
}
