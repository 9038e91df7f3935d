/** Pages on which visitors file reports and read their state. They have no script and escape every value. */
import { promisify } from 'node:util';
import { type DomainError, hasCode, percentDecoded, slugOfPath } from '@waypost/domain';
import { type Html, html, type Language, languageItems, languageOf, NOTHING, textsIn } from '@waypost/html';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { requestSignal } from '../platform/http/answer-in-time.ts';
import { HttpError } from '../platform/http/errors.ts';
import { sendPage } from '../platform/http/page.ts';
import { limitAddresses } from '../platform/http/per-address.ts';
import { placeOf } from '../platform/http/place-of.ts';
import { route } from '../platform/http/route.ts';
import { refuseOtherSites } from '../platform/http/same-origin.ts';
import { CASE_MESSAGE_MAX, type Case, isCaseNumber, REPORT_CATEGORIES, type ReportCategory } from './case.ts';
import { type FileCaseDeps, fileCase } from './file-case.ts';
import type english from './locales/en.json';

const FORM_BYTES = 16 * 1024;
const FIELDS_MAX = 20;
const LINK_MAX = 300;
const CASES_OF_ADDRESS = { most: 10, inMs: 3_600_000 };

type Words = typeof english;
const WORDS = textsIn<Words>(new URL('./locales/', import.meta.url));

type Kind = Case['kind'];

interface Form {
  readonly kind: Kind;
  /** A slug or a short URL. */
  readonly link: string;
  readonly category: string;
  readonly message: string;
}

export function reportPages(deps: FileCaseDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const limit = limitAddresses(CASES_OF_ADDRESS, deps.now);

  const show = (response: Response, status: number, language: Language, title: string, body: Html, query: string) => {
    // With `no-referrer`, the browser would send `Origin: null` with the form, which the check of the origin may
    // refuse.
    response.setHeader('Referrer-Policy', 'same-origin').setHeader('Content-Language', language);
    sendPage(response, status, title, body, {
      language,
      footer: html`<footer><nav><ul>${languageItems(language, query)}</ul></nav></footer>`,
    });
  };

  const showForm = (response: Response, status: number, language: Language, form: Form, problem?: string) => {
    // The page repeats the link seven times, so its length is limited.
    const query = `${new URLSearchParams({ link: form.link.slice(0, 100), about: form.kind })}&`;
    const words = WORDS[language];
    show(response, status, language, words[form.kind].title, formOf(form, language, words, problem), query);
  };

  const file: RequestHandler = async (request, response) => {
    const fieldOf = (name: string) => textOf((request.body as Record<string, unknown>)[name]);
    const language = languageOf(fieldOf('lang'), undefined);
    const words = WORDS[language];
    // One character above the limit is kept, so that the check still sees that the text is too long.
    const message = fieldOf('message')
      .replace(/\r\n?/g, '\n')
      .replaceAll('\t', ' ')
      .trim()
      .slice(0, CASE_MESSAGE_MAX + 1);
    const form = {
      kind: kindOf(fieldOf('about')),
      link: fieldOf('link').slice(0, LINK_MAX),
      category: fieldOf('category'),
      message,
    };
    const category = REPORT_CATEGORIES.find((each) => each === form.category) ?? null;
    const problem = problemOf(form, category, fieldOf('website'), words);
    if (problem !== undefined) return showForm(response, 400, language, form, problem);
    try {
      // This comes before the look-up, so that nobody can try many slugs to find links.
      limit(placeOf(response));
      const filed = {
        slug: slugOf(form.link, deps.redirectBaseUrl),
        category: form.kind === 'report' ? category : null,
        message,
        accountId: null,
      };
      const { number } = await fileCase(deps, filed);
      response.redirect(303, `/report/${number}?lang=${language}`);
    } catch (error) {
      const refusal = refusalOf(error, words);
      if (refusal === undefined) throw error;
      const { retryAfterSeconds } = error as DomainError;
      if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
      const [status, why] = refusal;
      showForm(response, status, language, form, why);
    }
  };

  route(router, '/report', {
    get: (request, response) => {
      const form = { kind: kindOf(textOf(request.query.about)), link: textOf(request.query.link).slice(0, LINK_MAX) };
      showForm(response, 200, askedLanguage(request), { ...form, category: '', message: '' });
    },
    post: [refuseOtherSites(deps.baseUrl), formBody, file],
  });

  route(router, '/report/:number', {
    get: async (request, response) => {
      const number = String(request.params.number);
      const language = askedLanguage(request);
      const words = WORDS[language];
      const row = isCaseNumber(number) ? await deps.cases.find(number) : undefined;
      if (row === undefined)
        return show(response, 404, language, words.unknown.title, html`<p>${words.unknown.text}</p>`, '');
      const about = caseList(row, deps.redirectBaseUrl, words);
      show(response, 200, language, words[row.kind].filed, html`${about}<p>${words.keep}</p>`, '');
    },
  });
  return router;
}

function refusalOf(error: unknown, words: Words): readonly [status: number, problem: string] | undefined {
  if (hasCode(error, 'link_not_found')) return [404, words.problem.noLink];
  if (hasCode(error, 'link_not_flagged')) return [400, words.problem.notFlagged];
  return hasCode(error, 'too_many_attempts') ? [429, words.problem.tooMany] : undefined;
}

function caseList(filed: Case, redirectBaseUrl: string, words: Words): Html {
  const { slug, state, reason, createdAt, decidedAt } = filed;
  const day = (at: Date) => html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`;
  const short = `${redirectBaseUrl.replace(/^https?:\/\//, '')}/${slug}`;
  const rows: (readonly [string, Html])[] = [
    [words.label.number, html`<b>${filed.number}</b>`],
    [words.label.link, html`<bdi>${short}</bdi>`],
    [words.label.filed, day(createdAt)],
    [words.label.state, html`${words.state[state]}`],
    ...(decidedAt === null ? [] : [[words.label.decided, day(decidedAt)] as const]),
    ...(reason === null ? [] : [[words.label.reason, html`<bdi>${reason}</bdi>`] as const]),
  ];
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function formOf({ kind, link, category, message }: Form, language: Language, words: Words, problem?: string): Html {
  const options = REPORT_CATEGORIES.map(
    (each) =>
      html`<option value="${each}"${each === category ? html` selected` : NOTHING}>${words.category[each]}</option>`,
  );
  const choice = html`<label>${words.label.category}<select name="category" required><option value=""></option>${options}</select></label>`;
  const hidden = html`<input type="hidden" name="about" value="${kind}"><input type="hidden" name="lang" value="${language}">`;
  const linkInput = html`<input name="link" value="${link}" maxlength="${LINK_MAX}" required autocapitalize="none" spellcheck="false" dir="ltr">`;
  return html`<p>${words[kind].text}</p>${problem === undefined ? NOTHING : html`<p role="alert"><b>${problem}</b></p>`}
<form method="post" action="/report">${hidden}
<label>${words.label.link}${linkInput}</label>
${kind === 'report' ? choice : NOTHING}
<label>${words.label.message}<textarea name="message" rows="5" maxlength="${CASE_MESSAGE_MAX}"${kind === 'review' ? html` required` : NOTHING}>${message}</textarea></label>
<label class="trap" aria-hidden="true">Website<input name="website" tabindex="-1" autocomplete="off"></label>
<button>${words.send}</button></form>`;
}

/** People cannot see the field `website`, so a value there comes from a program. */
function problemOf(
  form: Form,
  category: ReportCategory | null,
  website: string,
  { problem }: Words,
): string | undefined {
  if (website !== '' || form.link.trim() === '') return problem.noLink;
  if (form.kind === 'report' && category === null) return problem.noCategory;
  if (form.kind === 'review' && form.message === '') return problem.noMessage;
  if (form.message.length > CASE_MESSAGE_MAX) return problem.longMessage;
  const isText = form.message.isWellFormed() && !/(?!\n)\p{Cc}/u.test(form.message);
  return isText ? undefined : problem.unsafeMessage;
}

const kindOf = (about: string): Kind => (about === 'review' ? 'review' : 'report');

/**
 * Returns the slug of a short URL, with or without its scheme, or of its preview, as a redirector reads it. Returns an
 * empty text if the URL is of another site, whose slugs are not ours.
 */
function slugOf(link: string, redirectBaseUrl: string): string {
  const text = link.trim();
  const slugIn = (path: string) => slugOfPath(percentDecoded(path) ?? path)?.slug;
  const bare = slugIn(text.replace(/[?#].*$/s, ''));
  if (bare !== undefined) return bare;
  const url = URL.parse(/^https?:/i.test(text) ? text : `http://${text}`);
  return (url?.host === new URL(redirectBaseUrl).host && slugIn(url.pathname)) || '';
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const askedLanguage = ({ query, headers }: Request): Language =>
  languageOf(textOf(query.lang), headers['accept-language']);

const parse = promisify(
  express.urlencoded({ extended: false, limit: FORM_BYTES, parameterLimit: FIELDS_MAX, inflate: false }),
);
const formBody: RequestHandler = async (request, response, next) => {
  const read = () =>
    parse(request, response).catch(() => {
      throw new HttpError(400, 'The form is not valid.');
    });
  await placeOf(response).whileReading(read, requestSignal(response));
  request.body ??= {};
  next();
};
