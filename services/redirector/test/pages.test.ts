/** The tests use every language, the longest values and hostile ones. */
import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type RedirectRecord, THREAT_TYPES, type ThreatType } from '@waypost/domain';
import { LANGUAGES, type Language, WRITTEN } from '@waypost/html';
import { translationsAgree } from '@waypost/test-support/translations';
import { route } from '../src/listener/route.ts';
import { type Page, type PageView, pageHtml, pageJson, STYLE } from '../src/pages/explanation-page.ts';
import { link } from './support.ts';

const textOf = (path: string) => (route(path) as { readonly text: string }).text;
const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const view = (language: Language): PageView => ({ language, baseUrl: 'https://go.example.org', now: NOW });

translationsAgree(new URL('../src/pages/locales/', import.meta.url), LANGUAGES);

const LONGEST = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example/?${'&'.repeat(2_048 - 200)}`;
const HOSTILE = '"><script>alert(1)</script><b>\'&amp;';

function everyPage(): [name: string, page: Page][] {
  const slug = 'S'.repeat(50);
  const record = (more: Partial<RedirectRecord>) => link(slug, { scannedAt: '2026-11-21T11:46:00.000Z', ...more });
  const requested = textOf(`/${HOSTILE.repeat(20)}`);
  return [
    ['home', { kind: 'home' }],
    ['not found', { kind: 'not_found', requested, slug: requested }],
    ['unavailable', { kind: 'unavailable', requested, slug: requested }],
    ['revoked', { kind: 'revoked', record: record({ status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z' }) }],
    ['preview', { kind: 'preview', record: record({}), location: new URL(LONGEST).href }],
    ...THREAT_TYPES.map((threatType): [string, Page] => [
      threatType,
      { kind: 'flagged', record: record({ status: 'flagged', threatType }) },
    ]),
    [
      'a threat type of a later version',
      { kind: 'flagged', record: record({ status: 'flagged', threatType: '<i>new</i>' as ThreatType }) },
    ],
  ];
}

describe.each(LANGUAGES)('every page in %s', (language) => {
  test.each(everyPage())('%s has at most 8 kB, no script, no style attribute and only our own links', (_, page) => {
    const html = pageHtml(page, { ...view(language), baseUrl: `https://${'x'.repeat(60)}.example.org` });
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(8 * 1024);
    expect(html).not.toMatch(/<script|style=|\son\w+=|<i>|<b>'|javascript:/);
    const links = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target!);
    for (const target of links) expect(target).toMatch(/^(?:\?lang=\w\w|\/S{50})$/);
    const [, current] = html.match(/aria-current="true">([^<]*)<\/a>/)!;
    expect(current!.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code))).toBe(WRITTEN[language].name);
    expect(html).not.toMatch(/\*\*|\{\w+\}|undefined|null|NaN|Invalid/);
  });

  test.each(everyPage())('%s has at most 8 kB even with its link to the report form', (_, page) => {
    const html = pageHtml(page, { ...view(language), reportBaseUrl: 'https://links.example.org' });
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(8 * 1024);
    const links = [...html.matchAll(/href="(https:[^"]*)"/g)].map(([, target]) => target!);
    const link = 'record' in page ? `link=${'S'.repeat(50)}&amp;` : '';
    const about = page.kind === 'flagged' ? 'review' : 'report';
    expect(links).toEqual(
      ['home', 'unavailable'].includes(page.kind)
        ? []
        : [`https://links.example.org/report?${link}about=${about}&amp;lang=${language}`],
    );
  });

  test.each(everyPage())('%s has a JSON form with exactly the agreed keys and a message without markup', (_, page) => {
    const json = pageJson(page, view(language));
    expect(Object.keys(json)).toEqual([
      'slug',
      'status',
      'threat_type',
      'destination_url',
      'revoked_at',
      'scanned_at',
      'message',
    ]);
    expect(json.message).not.toMatch(/\*\*|[{}<]|undefined/);
    expect(json.message.length).toBeGreaterThan(5);
  });
});

describe('values', () => {
  test('from visitors and owners are shown as text', () => {
    const requested = textOf(`/${encodeURIComponent(HOSTILE)}`);
    const html = pageHtml({ kind: 'not_found', requested, slug: requested }, view('en'));
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    const location = `https://evil.example/"><script>'`;
    const preview = pageHtml({ kind: 'preview', record: link('abc'), location }, view('en'));
    expect(preview).not.toContain('<script');
  });

  test('that would reverse or hide text become visible, and long ones are shortened', () => {
    expect(textOf('/%E2%80%AEgpj.exe')).toBe('\ufffdgpj.exe');
    expect(textOf('/a%00%0d%0ab')).toBe('a\ufffd\ufffd\ufffdb');
    expect(Array.from(textOf(`/${'%F0%9F%98%80'.repeat(300)}`))).toHaveLength(100);
    expect(textOf(`/${'%F0%9F%98%80'.repeat(300)}`).isWellFormed()).toBe(true);
  });

  test('of time are written in the language of the page, and an age has a suitable unit', () => {
    const preview = (scannedAt: string, language: Language) =>
      pageJson({ kind: 'preview', record: link('abc', { scannedAt }), location: 'https://a.example/' }, view(language))
        .message;
    expect(preview('2026-11-21T11:46:00Z', 'en')).toContain('14 minutes ago');
    expect(preview('2026-11-21T11:59:59Z', 'en')).toContain('1 second ago');
    expect(preview('2026-11-21T12:59:59Z', 'en')).toContain('1 second ago');
    expect(preview('2026-11-20T10:00:00Z', 'de')).toContain('vor 1 Tag');
    expect(preview('2026-11-21T09:00:00Z', 'fr')).toContain('il y a 3 heures');
    const revoked = {
      kind: 'revoked',
      record: link('abc', { status: 'revoked', revokedAt: '2026-08-19T23:30:00Z' }),
    } as const;
    expect(pageJson(revoked, view('en')).message).toContain('19 August 2026');
    expect(pageJson(revoked, view('ja')).message).toContain('2026年8月19日');
    expect(pageJson(revoked, view('ar')).message).toContain('2026');
  });

  test('under a path prefix, the button of a preview page keeps the prefix', () => {
    const html = pageHtml(
      { kind: 'preview', record: link('abc'), location: 'https://a.example/' },
      { ...view('en'), baseUrl: 'https://example.org/go' },
    );
    expect(html).toContain('href="/go/abc"');
    expect(html).toContain('example.org/go/abc');
  });
});

test('the content security policy has the hash of the style in the page', () => {
  const html = pageHtml({ kind: 'home' }, view('en'));
  const style = /<style>([\s\S]*)<\/style>/.exec(html)![1]!;
  expect(STYLE.contentSecurityPolicy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
});
