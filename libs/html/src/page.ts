import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Html, html, trusted } from './html.ts';
import { type Language, WRITTEN } from './language.ts';

export interface Stylesheet {
  readonly css: string;
  /**
   * The value of a header that allows this style, and the icon and forms of our own. It forbids scripts, frames and all
   * other requests.
   */
  readonly contentSecurityPolicy: string;
}

const BASE = new URL('./base.css', import.meta.url);

/**
 * Returns the style of a page: `base.css`, which all pages share, then `file`. It is inserted into the page. Call this
 * once, at the start.
 */
export function stylesheet(file: URL): Stylesheet {
  const css = [BASE, file].map((each) => compact(readFileSync(each, 'utf8'))).join('');
  const hash = createHash('sha256').update(css).digest('base64');
  return {
    css,
    contentSecurityPolicy: [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      // Browsers request the icon of the tab at /favicon.ico.
      "img-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
  };
}

/** Removes comments, line ends and indentation. This is safe because our files have no quoted text with line ends. */
function compact(css: string): string {
  return css
    .replace(/\/\*[^*]*\*\//g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('');
}

export interface PageParts {
  readonly language: Language;
  readonly title: string;
  readonly style: Stylesheet;
  readonly body: Html;
}

export function page({ language, title, style, body }: PageParts): string {
  return html`<!doctype html>
<html lang="${language}" dir="${WRITTEN[language].direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${trusted(style.css)}</style></head><body>${body}</body></html>
`.html;
}

export const FAVICON = readFileSync(new URL('./favicon.ico', import.meta.url));

export const MARK: Html = trusted(
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M10.7 1h2.5v2.5h4.25L22 7.2 17.5 11h-4.25v1.8h1.75V19.3H13.25V23h-2.5v-3.7H6.3L2 16.05l4.3-3.25h4.45V11H4V3.5h6.75z"/></svg>',
);
