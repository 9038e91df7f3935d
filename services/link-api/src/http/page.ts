/** A page of the server's own, beside the dashboard. */
import {
  type Html,
  html,
  type Language,
  MARK,
  NOTHING,
  page,
  type Stylesheet,
  stylesheet,
  WRITTEN,
} from '@waypost/html';
import type { Response } from 'express';

const styleWith = (...directives: readonly string[]) =>
  stylesheet(new URL('./pages.css', import.meta.url), ...directives, "form-action 'self'");
const STYLE = styleWith('img-src data:');
/** For pages with text of strangers: no image, not even the empty icon. */
export const STRICT_STYLE = styleWith();

interface More {
  readonly language?: Language;
  readonly footer?: Html;
  readonly style?: Stylesheet;
}

export function sendPage(
  response: Response,
  status: number,
  title: string,
  body: Html,
  { language = 'en', footer = NOTHING, style = STYLE }: More = {},
): void {
  response
    .status(status)
    .setHeader('Content-Security-Policy', style.contentSecurityPolicy)
    .type('html')
    .send(
      page({
        language,
        direction: WRITTEN[language].direction,
        title: `${title} · Waypost`,
        style,
        body: html`<header>${MARK}Waypost</header><main><h1>${title}</h1>${body}</main>${footer}`,
      }),
    );
}
