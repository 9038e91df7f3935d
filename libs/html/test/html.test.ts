import { describe, expect, test } from '@jest/globals';
import { escapeHtml, html, NOTHING, page, stylesheet, trusted } from '../src/index.ts';

describe('a template of markup', () => {
  test('escapes its values, in text and in attributes, and leaves markup unchanged', () => {
    const hostile = `"><script>alert('1')</script>&`;
    expect(html`<a title="${hostile}">${hostile}</a>${NOTHING}`.html).toBe(
      `<a title="${escapeHtml(hostile)}">${escapeHtml(hostile)}</a>`,
    );
    expect(escapeHtml(hostile)).toBe('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;');
    expect(html`${trusted('<b>')}${3}${[html`<i>${'<'}</i>`, html`x`]}`.html).toBe('<b>3<i>&lt;</i>x');
  });
});

test('a page contains its style, and its policy allows only that style', () => {
  const style = stylesheet(new URL('../src/base.css', import.meta.url));
  const text = page({ language: 'ar', title: 'a < b', style, body: html`<p>x</p>` });
  expect(text).toContain(`<style>${style.css}</style>`);
  expect(text).toContain('<html lang="ar" dir="rtl">');
  expect(text).toContain('<title>a &lt; b</title>');
  expect(style.css).not.toMatch(/\n|\/\*/);
  expect(style.contentSecurityPolicy).toMatch(/^default-src 'none'; .*style-src 'sha256-[\w+/=]{44}'/);
  expect(style.contentSecurityPolicy).not.toContain('script-src');
});
