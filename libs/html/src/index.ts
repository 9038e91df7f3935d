export { escapeHtml, type Html, type HtmlValue, html, NOTHING, trusted } from './html.ts';
export { ICON, MARK, type PageParts, page, type Stylesheet, stylesheet } from './page.ts';
