/** Reads a page with the tokeniser that browsers use. Nothing is rendered or executed. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Inspection } from '@waypost/ports';
import { SAXParser, type StartTag } from 'parse5-sax-parser';

type Page = Omit<Extract<Inspection, { kind: 'page' }>, 'kind' | 'status'>;

const LONGEST_TITLE = 200;
const LONGEST_ADDRESS = 2_048;
/** In seconds. A page that redirects later has something to show first. */
const LATEST_REFRESH = 10;

const NO_PAGE: Page = { title: '', hasPassword: false, icon: null, program: null };

/** `refresh`: the address that the page redirects to. */
export function readPage(body: Buffer, headers: IncomingHttpHeaders): Page & { readonly refresh?: string } {
  const byHeader = refreshOf(headers.refresh?.toString());
  if (byHeader !== undefined) return { ...NO_PAGE, refresh: byHeader };
  const program = programIn(body);
  if (program !== null) return { ...NO_PAGE, program };
  return isPage(body, headers['content-type'] ?? '') ? signsOf(body.toString('utf8')) : NO_PAGE;
}

function isPage(body: Buffer, contentType: string): boolean {
  if (contentType !== '') return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType);
  return body.subarray(0, 512).toString('latin1').trimStart().startsWith('<');
}

const PROGRAMS: readonly (readonly [format: string, bytes: string])[] = [
  ['a Windows program', '4d5a'],
  ['a Linux program', '7f454c46'],
  ['a macOS program', 'cffaedfe'],
  ['a macOS program', 'cafebabe'],
  ['an Android program', '6465780a'],
  ['a Windows shortcut', '4c0000000114020000000000c000000000000046'],
  ['a Windows installer', 'd0cf11e0a1b11ae1'],
];

function programIn(body: Buffer): string | null {
  const head = body.subarray(0, 20).toString('hex');
  const program = PROGRAMS.find(([, bytes]) => head.startsWith(bytes));
  if (program?.[1] === '4d5a' && body.length < 64) return null; // text that begins with MZ
  return program?.[0] ?? null;
}

function signsOf(html: string): Page & { readonly refresh?: string } {
  let title = '';
  let inTitle = false;
  let hasPassword = false;
  let icon: string | null = null;
  let refresh: string | undefined;
  const parser = new SAXParser();
  parser.on('startTag', (tag) => {
    inTitle = tag.tagName === 'title' && title === '';
    if (tag.tagName === 'input') hasPassword ||= attributeOf(tag, 'type')?.toLowerCase() === 'password';
    else if (tag.tagName === 'link' && /(?:^|\s)icon(?:\s|$)/i.test(attributeOf(tag, 'rel') ?? ''))
      icon ??= attributeOf(tag, 'href')?.slice(0, LONGEST_ADDRESS) ?? null;
    else if (tag.tagName === 'meta' && attributeOf(tag, 'http-equiv')?.toLowerCase() === 'refresh')
      refresh ??= refreshOf(attributeOf(tag, 'content'));
  });
  parser.on('endTag', () => {
    inTitle = false;
  });
  parser.on('text', ({ text }) => {
    if (inTitle && title.length < LONGEST_TITLE) title += text;
  });
  parser.end(html);
  const page = { title: title.trim().slice(0, LONGEST_TITLE), hasPassword, icon, program: null };
  return refresh === undefined ? page : { ...page, refresh };
}

function attributeOf({ attrs }: StartTag, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value.slice(0, 2 * LONGEST_ADDRESS);
}

/** Reads `5; url='https://…'` as HTML does. Without an address the page reloads itself. */
function refreshOf(content: string | undefined): string | undefined {
  const text = content?.slice(0, 2 * LONGEST_ADDRESS).trim() ?? '';
  const time = /^\d{0,9}/.exec(text)![0];
  if (Number(time) > LATEST_REFRESH) return undefined;
  const target = /^[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?/i.exec(text)![0].length;
  const rest = text.slice(target);
  const quote = rest[0] === '"' || rest[0] === "'" ? rest[0] : undefined;
  const address = (quote === undefined ? rest : rest.slice(1).split(quote, 1)[0]!).trim();
  return address === '' ? undefined : address.slice(0, LONGEST_ADDRESS);
}
