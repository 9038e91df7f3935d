/** The API reference as a page, made from the OpenAPI document: no script, nothing from elsewhere. */
import type { Guide } from './guide.ts';
import type { Schema } from './json-schema.ts';
import type { ApiResponse, Content, OpenApiDocument, Operation, Parameter, Ref } from './openapi.ts';

/** Markup that is finished; any other text is escaped where it is put in. */
interface Html {
  readonly html: string;
}
type Value = Html | string | number | readonly Html[];

function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: String.raw({ raw: parts }, ...values.map(markup)) };
}

function markup(value: Value): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map(markup).join('');
}

const NOTHING: Html = { html: '' };

export const DOCS_STYLE = `:root{color-scheme:light dark;--bg:#f4f6f4;--surface:#fff;--sunken:#ebefec;--line:#dce2de;--ink:#14201a;--ink2:#44524b;--ink3:#5b6962;--board:#00663f;--accent:#00663f;--soft:#e2f1e9;--danger:#b3261e;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media(prefers-color-scheme:dark){:root{--bg:#101513;--surface:#181e1b;--sunken:#222a26;--line:#2d3732;--ink:#e8eeea;--ink2:#b6c1ba;--ink3:#9aa69f;--board:#0b7a4c;--accent:#7fcfa6;--soft:#1a3527;--danger:#ff9086}}
*{box-sizing:border-box;margin:0;padding:0}html{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--ink);background:var(--bg);scroll-padding-top:16px;-webkit-text-size-adjust:100%}
a{color:var(--accent);text-underline-offset:3px}:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:12px;top:-60px;padding:10px 16px;background:var(--board);color:#fff;border-radius:4px}.skip:focus{top:8px}
.top{display:flex;flex-wrap:wrap;gap:4px 20px;align-items:center;padding:12px 20px;background:var(--surface);border-bottom:1px solid var(--line)}.brand{display:flex;align-items:center;gap:8px;margin-right:auto;font-weight:700;color:var(--ink);text-decoration:none}.brand svg{color:var(--board)}
.page{max-width:1400px;margin:auto;padding:0 20px 64px}nav{padding:24px 0}nav h2{margin:0 0 4px;padding:0;border:0;font-size:14px;color:var(--ink2)}nav h3{font-size:13px;color:var(--ink3);font-weight:600;margin-top:14px}nav ul{list-style:none}nav a{display:block;padding:3px 0;font-size:14px;color:var(--ink2);text-decoration:none}nav a:hover{color:var(--accent);text-decoration:underline}
h1{font-size:30px;line-height:1.2;margin:24px 0 12px}h2{font-size:23px;line-height:1.3;margin-top:48px;padding-top:24px;border-top:1px solid var(--line)}h3{font-size:19px;line-height:1.35;margin-top:36px}h4{font-size:15px;margin:22px 0 6px}
p{max-width:68ch;margin-top:10px;color:var(--ink2)}code{font:.9em/1.5 var(--mono);overflow-wrap:anywhere}p code,dd code{padding:1px 4px;border-radius:3px;background:var(--sunken)}
.at{display:flex;flex-wrap:wrap;gap:2px 10px;align-items:baseline;margin-top:8px;font-family:var(--mono);font-size:14px;overflow-wrap:anywhere}.at b{color:var(--accent)}.at span{font-family:system-ui,sans-serif;color:var(--ink3)}
p+dl{margin-top:14px}dl{border-top:1px solid var(--line)}dl>div{padding:9px 0;border-bottom:1px solid var(--line)}dt{display:flex;flex-wrap:wrap;gap:0 10px;align-items:baseline}dt code{font-weight:600}dt span{font-size:14px;color:var(--ink3)}dt em{font-style:normal;font-size:14px;font-weight:600}dd{max-width:68ch;color:var(--ink2);font-size:15px}dd dl{margin:8px 0 2px 14px}.bad{color:var(--danger)}
figure{margin-top:12px;border:1px solid var(--line);border-radius:6px;background:var(--surface);overflow:hidden}figcaption{padding:6px 12px;font-size:13px;color:var(--ink2);background:var(--sunken)}pre{padding:10px 12px;font:13px/1.55 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}
details{margin-top:6px}summary{padding:3px 0;font-size:14px;color:var(--accent);cursor:pointer}.split{min-width:0}.split>*{min-width:0}
@media(min-width:960px){.page{display:grid;grid-template-columns:210px minmax(0,1fr);gap:40px}nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto}}
@media(min-width:1240px){.split{display:grid;grid-template-columns:minmax(0,1fr) 480px;gap:0 36px}.split>.code{padding-top:26px}}
@media(forced-colors:active){figure{border-color:CanvasText}}
@media print{nav,.skip,.top a+a{display:none}html{font-size:11px;background:#fff}.page,.split{display:block}figure,dl>div{break-inside:avoid}h2,h3,h4{break-after:avoid}details::details-content{content-visibility:visible;block-size:auto}a{color:inherit;text-decoration:none}}`;

const MARK: Html = {
  html: '<svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M10.7 1h2.5v2.5h4.25L22 7.2 17.5 11h-4.25v1.8h1.75V19.3H13.25V23h-2.5v-3.7H6.3L2 16.05l4.3-3.25h4.45V11H4V3.5h6.75z"/></svg>',
};

const ICON = `data:image/svg+xml,${encodeURIComponent(MARK.html.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"').replace('currentColor', '#0b7a4c'))}`;

export function docsPage(document: OpenApiDocument): string {
  const { info, servers, tags, components } = document;
  const operations = operationsOf(document);
  const groups = tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags[0] === name),
  }));
  const schemas = Object.entries(components.schemas);

  const contents = html`<nav aria-label="Contents"><h2>Contents</h2><ul>${document['x-guide'].map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`,
  )}</ul>${groups.map(
    ({ name, operations: within }) =>
      html`<h3>${name}</h3><ul>${within.map(
        ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
      )}</ul>`,
  )}<h3>Objects</h3><ul>${schemas.map(([name]) => html`<li><a href="#${schemaId(name)}">${name}</a></li>`)}</ul></nav>`;

  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>API reference · Waypost</title><link rel="icon" href="${ICON}"><style>${{ html: DOCS_STYLE }}</style></head><body><a class="skip" href="#main">Skip to the reference</a><header class="top"><a class="brand" href="/">${MARK}Waypost</a><a href="/openapi.json">OpenAPI document</a></header><div class="page">${contents}<main id="main" tabindex="-1"><h1>API reference</h1>${paragraphs(
    info.description,
  )}<p>Address: <code>${servers[0]!.url}</code></p>${document['x-guide'].map(guideSection)}${groups.map(
    ({ name, description, operations: within }) =>
      html`<section><h2>${name}</h2>${paragraphs(description)}${within.map((each) =>
        operationSection(document, each),
      )}</section>`,
  )}<section><h2>Objects</h2>${schemas.map(
    ([name, schema]) =>
      html`<section id="${schemaId(name)}"><h3>${name}</h3>${paragraphs(schema.description ?? '')}${fields(schema)}</section>`,
  )}</section></main></div></body></html>`.html;
}

interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationsOf({ paths }: OpenApiDocument): Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function guideSection({ id, title, text, rows = [], samples = [] }: Guide): Html {
  return html`<section id="${id}"><h2>${title}</h2><div class="split"><div>${paragraphs(text)}${
    rows.length === 0
      ? NOTHING
      : html`<dl>${rows.map(([name, words]) => html`<div><dt><code>${name}</code></dt><dd>${inline(words)}</dd></div>`)}</dl>`
  }</div><div class="code">${samples.map(({ label, source }) => figure(label, source))}</div></div></section>`;
}

function operationSection(document: OpenApiDocument, { path, method, operation }: Located): Html {
  const [scope] = operation.security[0]?.bearer ?? [];
  const responses = Object.entries(operation.responses);
  // 201 before the 200 of a dry run.
  const good = responses.filter(([status]) => status < '300').reverse();
  const bad = responses.filter(([status]) => status >= '300');
  const body = operation.requestBody?.content;
  return html`<section id="${operation.operationId}"><h3>${operation.summary}</h3><p class="at"><b>${method.toUpperCase()}</b> <code>${path}</code> ${
    scope === undefined ? html`<span>no key</span>` : html`<span>scope ${scope}</span>`
  }</p><div class="split"><div>${paragraphs(operation.description)}${parameterList(document, operation)}${
    body === undefined
      ? NOTHING
      : html`<h4>Body: ${schemaLink(body)}</h4>${fields(document.components.schemas[schemaName(body)]!)}`
  }<h4>Answers</h4><dl>${good.map(([status, response]) => answer(status, response))}</dl><h4>Errors</h4><dl>${bad.map(
    ([status, response]) => failure(status, response),
  )}</dl></div><div class="code">${operation['x-codeSamples'].map(({ label, source }) => figure(label, source))}${
    body === undefined ? NOTHING : examples('Body', body).slice(1)
  }${good.flatMap(([status, { content }]) => examples(`Answer ${status}`, content))}</div></div></section>`;
}

function parameterList({ components }: OpenApiDocument, { parameters }: Operation): Html {
  if (parameters.length === 0) return NOTHING;
  const each = parameters.map(({ $ref }) => components.parameters[lastOf($ref)]!);
  const kinds: Record<Parameter['in'], string> = { path: 'in the path', query: 'in the query', header: 'header' };
  return html`<h4>Parameters</h4><dl>${each.map(
    ({ name, in: where, required, description, schema }) =>
      html`<div><dt><code>${name}</code> <span>${kinds[where]}, ${typeWords(schema)}</span>${
        required ? html` <em>required</em>` : NOTHING
      }</dt><dd>${inline(description)}${restrictions(schema)}</dd></div>`,
  )}</dl>`;
}

function answer(status: string, { description, headers = {}, content }: ApiResponse): Html {
  return html`<div><dt><code>${status}</code> <span>${schemaLink(content)}</span></dt><dd>${inline(description)}${headerWords(headers)}</dd></div>`;
}

function failure(status: string, { description, headers = {}, content }: ApiResponse): Html {
  const shown = Object.values(content['application/json'].examples);
  const code = (shown[0]!.value as { error?: string }).error ?? '';
  return html`<div><dt><code class="bad">${status} ${code}</code></dt><dd>${inline(description)}${headerWords(headers)}<details><summary>${
    shown.length === 1 ? 'Example' : `${shown.length} examples`
  }</summary>${shown.map(({ summary, value }) => figure(summary, json(value)))}</details></dd></div>`;
}

function headerWords(headers: Readonly<Record<string, Ref>>): Html {
  const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  if (names.length === 0) return NOTHING;
  return html` Headers: ${names.map((name, i) => html`${i === 0 ? '' : ', '}<code>${name}</code>`)}.`;
}

function examples(title: string, content: Content): Html[] {
  return Object.values(content['application/json'].examples).map(({ summary, value }) =>
    figure(`${title}: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`, json(value)),
  );
}

/** The fields of an object, with those of objects within it. */
function fields({ properties = {}, required = [], additionalProperties }: Schema): Html {
  const entries = Object.entries(properties);
  if (entries.length === 0) return NOTHING;
  // What is sent must be there, what is answered always is. Only requests are closed to other fields.
  const must = additionalProperties === false ? 'required' : 'always';
  return html`<dl>${entries.map(
    ([name, schema]) =>
      html`<div><dt><code>${name}</code> <span>${typeWords(schema)}</span>${
        required.includes(name) ? html` <em>${must}</em>` : html` <span>optional</span>`
      }</dt><dd>${inline(schema.description ?? '')}${restrictions(schema)}${within(schema)}</dd></div>`,
  )}</dl>`;
}

function within(schema: Schema): Html {
  const { items, additionalProperties, properties } = schema;
  if (properties !== undefined) return fields(schema);
  if (items?.properties !== undefined) return fields(items);
  return typeof additionalProperties === 'object' ? fields(additionalProperties) : NOTHING;
}

function typeWords({ $ref, type, items, format, enum: values }: Schema): Html {
  if ($ref !== undefined) return html`<a href="#${schemaId(lastOf($ref))}">${lastOf($ref)}</a>`;
  if (values !== undefined)
    return html`${values.map((value, i) => html`${i === 0 ? '' : ' | '}<code>${String(value)}</code>`)}`;
  const types = [type ?? 'any'].flat();
  const named = types.map((name) => {
    if (name === 'array' && items !== undefined) return html`array of ${typeWords(items)}`;
    return html`${name}${name === 'string' && format !== undefined ? ` (${FORMATS[format] ?? format})` : ''}`;
  });
  return html`${named.map((each, i) => html`${i === 0 ? '' : ' or '}${each}`)}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'ISO 8601',
  date: 'YYYY-MM-DD',
  iri: 'URL',
  uuid: 'UUID',
};

function restrictions(schema: Schema): Html {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, default: standard } = schema;
  const range = (from: number | undefined, to: number | undefined, unit: string) => {
    if (to === undefined) return from === undefined || from === 0 ? [] : [`from ${from}${unit}`];
    return [from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`];
  };
  const words = [
    ...range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...range(schema.items?.minLength, schema.items?.maxLength, ' characters each'),
    ...range(minimum, maximum, ''),
  ];
  const told = words.length === 0 ? NOTHING : html` ${`${words.join(', ').replace(/^./, (c) => c.toUpperCase())}.`}`;
  return html`${told}${standard === undefined ? NOTHING : html` Default <code>${String(standard)}</code>.`}`;
}

function schemaLink(content: Content): Html {
  const name = schemaName(content);
  return html`<a href="#${schemaId(name)}">${name}</a>`;
}

function schemaName(content: Content): string {
  return lastOf(content['application/json'].schema.$ref!);
}

function schemaId(name: string): string {
  return `schema-${name}`;
}

function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function figure(caption: string, source: string): Html {
  return html`<figure><figcaption>${caption}</figcaption><pre><code>${source}</code></pre></figure>`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function paragraphs(text: string): Html[] {
  return text === '' ? [] : text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** The one piece of Markdown that descriptions use: `code`. */
function inline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
