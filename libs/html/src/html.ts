/** Finished markup; a template escapes any other text. */
export interface Html {
  readonly html: string;
}

export type HtmlValue = Html | string | number | readonly Html[];

/** A template of markup: it escapes its values, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0]!;
  for (const [i, value] of values.entries()) text += markup(value) + parts[i + 1]!;
  return { html: text };
}

/** Markup that we wrote ourselves: a picture, a style. */
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

/** For text between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

function markup(value: HtmlValue): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map(markup).join('');
}
