export { escapeHtml, type Html, type HtmlValue, html, NOTHING, trusted } from './html.ts';
export { LANGUAGES, type Language, languageItems, languageOf, textsIn, WRITTEN, weighted } from './language.ts';
export { FAVICON, MARK, page, stylesheet } from './page.ts';
