import { type Html, html, type Language, MARK, NOTHING, page, stylesheet } from '@waypost/html';
import type { Response } from 'express';

const STYLE = stylesheet(new URL('./pages.css', import.meta.url));

interface More {
  readonly language?: Language;
  readonly footer?: Html;
}

export function sendPage(
  response: Response,
  status: number,
  title: string,
  body: Html,
  { language = 'en', footer = NOTHING }: More = {},
): void {
  response
    .status(status)
    .setHeader('Content-Security-Policy', STYLE.contentSecurityPolicy)
    .type('html')
    .send(
      page({
        language,
        title: `${title} · Waypost`,
        style: STYLE,
        body: html`<header>${MARK}Waypost</header><main><h1>${title}</h1>${body}</main>${footer}`,
      }),
    );
}
