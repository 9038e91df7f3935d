/** The API reference as a page, made from the OpenAPI document: no script, nothing from other hosts. */
import { type Html, html, MARK, NOTHING, page, stylesheet } from '@waypost/html';
import type { Guide } from './guide.ts';
import type { Schema } from './json-schema.ts';
import type { ApiResponse, Content, OpenApiDocument, Operation, Parameter, Ref } from './openapi.ts';

export const DOCS_STYLE = stylesheet(new URL('./docs-page.css', import.meta.url), "form-action 'none'");

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

  const body = html`<a class="skip" href="#main">Skip to the reference</a><header class="top"><a class="brand" href="/">${MARK}Waypost</a><a href="/openapi.json">OpenAPI document</a></header><div class="page">${contents}<main id="main" tabindex="-1"><h1>API reference</h1>${paragraphs(
    info.description,
  )}<p>Address: <code>${servers[0]!.url}</code></p>${document['x-guide'].map(guideSection)}${groups.map(
    ({ name, description, operations: within }) =>
      html`<section><h2>${name}</h2>${paragraphs(description)}${within.map((each) =>
        operationSection(document, each),
      )}</section>`,
  )}<section><h2>Objects</h2>${schemas.map(
    ([name, schema]) =>
      html`<section id="${schemaId(name)}"><h3>${name}</h3>${paragraphs(schema.description ?? '')}${fields(schema)}</section>`,
  )}</section></main></div>`;
  return page({ language: 'en', title: 'API reference · Waypost', style: DOCS_STYLE, body });
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
  const [scope] = operation.security.flatMap(({ bearer = [] }) => bearer);
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

/** The fields of an object, including those of nested objects. */
function fields({ properties = {}, required = [], additionalProperties }: Schema): Html {
  const entries = Object.entries(properties);
  if (entries.length === 0) return NOTHING;
  // "required" in requests, "always" present in answers. Only requests refuse other fields.
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
  const constraints =
    words.length === 0 ? NOTHING : html` ${`${words.join(', ').replace(/^./, (c) => c.toUpperCase())}.`}`;
  return html`${constraints}${standard === undefined ? NOTHING : html` Default <code>${String(standard)}</code>.`}`;
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

/** Renders the only Markdown in descriptions: `code`. */
function inline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
