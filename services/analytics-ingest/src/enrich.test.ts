import { describe, expect, test } from '@jest/globals';
import type { ClickEvent } from '@waypost/domain';
import { leastCpuMs } from '@waypost/test-support';
import fc from 'fast-check';
import { list } from 'isbot';
import { MISLEADING } from './bots.ts';
import { enricher } from './enrich.ts';

const enrich = enricher();
const CLICK = {
  id: '',
  slug: 'slug',
  at: 0,
  visitor: '',
  country: '',
  user_agent: '',
  referrer: '',
} as unknown as ClickEvent;
const agent = (userAgent: string) => {
  const { device, browser, isBot } = enrich({ ...CLICK, user_agent: userAgent });
  return { device, browser, isBot };
};
/** The CPU time of a user agent that no enricher has in memory, in milliseconds. */
const costOf = (userAgent: string) => leastCpuMs(() => enricher()({ ...CLICK, user_agent: userAgent }));
const referrerHost = (referrer: string) => enrich({ ...CLICK, referrer }).referrer;

/** Device, browser, whether it is a bot or a person, and the header as sent. */
const AGENTS = `
  desktop | Chrome | person | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36
  mobile | Chrome | person | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36
  tablet | Chrome | person | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36
  desktop | Firefox | person | Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0
  mobile | Firefox | person | Mozilla/5.0 (Android 14; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0
  desktop | Safari | person | Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15
  tablet | Safari | person | Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1
  desktop | Microsoft Edge | person | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0
  desktop | Opera | person | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0
  mobile | Samsung Internet for Android | person | Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36
  desktop | Internet Explorer | person | Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko
  desktop | Unknown | bot | Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
  desktop | Unknown | bot | Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)
  desktop | Unknown | bot | facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
  desktop | Unknown | bot | WhatsApp/2.23.20.0
  desktop | Unknown | bot | curl/8.5.0
  desktop | Unknown | bot | python-requests/2.32.3
  desktop | Chrome | bot | Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36
  desktop | Unknown | bot | Mozilla/5.0
  desktop | Unknown | bot | __proto__
  desktop | Unknown | bot | <script>alert(1)</script>/1.0 Mozilla
  desktop | Unknown | person | '; DROP TABLE clicks; --/1.0 (x)
  desktop | Unknown | person | Evil Browser Name/9.9 (Windows NT 10.0) Gecko
  mobile | Chrome | person | Mozilla/5.0 (Linux; Android 7.0; M bot 60 Build/NRD90M) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Mobile Safari/537.36
  tablet | Chrome | person | Mozilla/5.0 (Linux; Android 7.0; M BOT TAB 101) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Safari/537.36
  mobile | Chrome | person | Mozilla/5.0 (Linux; Android 4.2; Google Nexus 4 Build/JOP40D) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0.3987.149 Mobile Safari/537.36
  mobile | Chrome | person | Mozilla/5.0 (Linux; Android 4.4.2; GM Discovery II) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0.4044.138 Mobile Safari/537.36
  mobile | Android Browser | person | Mozilla/5.0 (Linux; U; Android 4.2.2; it-it; S222 Build/CUBOT) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30
  mobile | Internet Explorer | person | Mozilla/5.0 (compatible; MSIE 9.0; Windows Phone OS 7.5; Trident/5.0; IEMobile/9.0; HTC; Radar 4G)
  mobile | Sogou Browser | person | Mozilla/5.0 (Linux; Android 10; TLA001 Build/QP1A.190711.020; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/80.0.3987.132 Mobile Safari/537.36 SogouMSE,SogouMobileBrowser/5.30
  mobile | UC Browser | person | dv(iPh14,2);pr(UCBrowser/11.3.5.1203);ov(15_4);ss(375x812);bt(GJ);
  mobile | Unknown | bot | Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2272.96 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
  mobile | Chrome | bot | Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0.4044.138 Mobile Safari/537.36
  desktop | Unknown | bot | thirdLandingPageFeInfra
  desktop | Unknown | bot | Viber/20.9.5.0
  desktop | Unknown | bot | Mozilla/4.0 (compatible; ms-office; MSOffice 16)
  desktop | Unknown | bot | Barracuda Sentinel (EE)
  desktop | Unknown | bot | Java/1.8.0_151
  tablet | Chrome | person | Mozilla/5.0 (Linux; Android 4.4.4; SM-T113N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/68.0.3440.84 Mobile Safari/537.36
  tablet | Chrome | person | Mozilla/5.0 (Linux; Android 6.0; MiPad 3) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.150 Mobile Safari/537.36
  mobile | Chrome | person | Mozilla/5.0 (Linux; Android 6.0.1; Coolpad 5370) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0.4515.159 Mobile Safari/537.36
  mobile | Android Browser | person | Dalvik/2.1.0 (Linux; U; Android 10; Pixel 4a Build/QD4A.200805.003)
  desktop | Chrome | person | Mozilla/5.0 (Linux; Android 9; ASUS Chromebook Flip C302) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/85.0.4183.127 Safari/537.36
  desktop | Internet Explorer | person | Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.1; Trident/7.0; Tablet PC 2.0)
  mobile | Unknown | person | SonyEricssonJ20i/R1x Browser/NetFront/3.5 Profile/MIDP-2.1 JavaPlatform/JP-8.5`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' | '));

describe('user agents', () => {
  test.each(AGENTS)('%s, %s, %s: %s', (device, browser, who, userAgent) => {
    expect(agent(String(userAgent))).toEqual({ device, browser, isBot: who === 'bot' });
  });

  test('none is a bot, and one that was withheld is a person', () => {
    expect(agent('-')).toEqual({ device: 'desktop', browser: 'Unknown', isBot: true });
    expect(agent('')).toEqual({ device: 'desktop', browser: 'Unknown', isBot: false });
  });

  test.each([...MISLEADING])('the library still has the pattern %j that is left out', (pattern) => {
    expect(list).toContain(pattern);
  });

  test('any text quickly gives a known device and a listed browser name', () => {
    const parts = fc.constantFrom(
      'Mozilla/5.0 ',
      '(',
      ')',
      ';',
      '/',
      ' ',
      'Android ',
      'Version/',
      'Mobile',
      '1.',
      'a',
      '😀',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.array(parts, { maxLength: 200 }).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(texts, (userAgent) => {
        const { device, browser } = agent(userAgent);
        expect(costOf(userAgent)).toBeLessThan(10);
        expect(['desktop', 'mobile', 'tablet']).toContain(device);
        expect(browser).toMatch(/^[A-Z][\w .-]{1,40}$/);
      }),
      { numRuns: 300 },
    );
  });

  test('a user agent of a megabyte is read quickly', () => {
    expect(costOf('Mozilla/5.0 ('.repeat(80_000))).toBeLessThan(10);
  });
});

describe('referrers', () => {
  test.each([
    ['https://www.Example.com/a/b', 'example.com'],
    ['https://WWW.EXAMPLE.COM', 'example.com'],
    ['http://t.co/x', 't.co'],
    ['https://user:secret@news.example:8443/', 'news.example'],
    ['https://example.com.', 'example.com'],
    ['https://www.www.example', 'www.example'],
    ['https://wwwexample.com', 'wwwexample.com'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['http://1.2.3.4/', '1.2.3.4'],
    ['http://[::1]:8080/', '[::1]'],
    ['android-app://com.google.android.gm/', 'com.google.android.gm'],
    ['ANDROID-APP://Com.Example', 'com.example'],
    ['', 'direct'],
    ['example.com', 'direct'],
    ['about:blank', 'direct'],
    ['javascript:alert(1)', 'direct'],
    ['data:text/html,x', 'direct'],
    ['file:///etc/passwd', 'direct'],
    ['http://www./', 'direct'],
    ['http://a b/', 'direct'],
    ['http://%00/', 'direct'],
    ['\u0000', 'direct'],
    [`https://${'a.'.repeat(200)}example`, 'direct'],
    ['x'.repeat(100_000), 'direct'],
  ])('%j is %s', (referrer, host) => {
    expect(referrerHost(referrer)).toBe(host);
  });

  test('any text gives a short host without control characters, or direct', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.webUrl(),
          fc.string().map((s) => `http://${s}`),
        ),
        (text) => {
          expect(referrerHost(text)).toMatch(/^[^\s\u0000-\u001f\u007f-\uffff/A-Z]{1,253}$/);
        },
      ),
    );
  });
});
