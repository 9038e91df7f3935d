/** Complete markup. A template escapes any other text. */
export interface Html {
  readonly html: string;
}

export type HtmlValue = Html | string | number | readonly Html[];

/** Builds markup. Escapes each value, unless it is `Html` itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0]!;
  for (const [i, value] of values.entries()) text += markup(value) + parts[i + 1]!;
  return { html: text };
}

/** Use this only for markup of our own, such as a picture or a style: it is not escaped. */
export function trusted(text: string): Html {
  return { html: text };
}

export const NOTHING: Html = trusted('');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Works for text between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

function markup(value: HtmlValue): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map(markup).join('');
}
