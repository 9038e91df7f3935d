import { FAVICON } from '@waypost/html';

export interface WellKnownFile {
  readonly type: string;
  readonly body: Buffer;
}

interface Site {
  /** A URI or an e-mail address. */
  readonly contact: string;
  readonly baseUrl: string;
  readonly now: number;
}

const FILES = {
  // Crawling is allowed, so that crawlers read X-Robots-Tag, which keeps everything here out of their index.
  '/robots.txt': () => text('User-agent: *\nDisallow:\n'),
  '/favicon.ico': () => ({ type: 'image/x-icon', body: FAVICON }),
  '/.well-known/security.txt': (site) => text(securityTxt(site)),
} as const satisfies Record<string, (site: Site) => WellKnownFile>;
export type WellKnownPath = keyof typeof FILES;
export const isWellKnown = (path: string): path is WellKnownPath => Object.hasOwn(FILES, path);
export const wellKnownFile = (path: WellKnownPath, site: Site): WellKnownFile => FILES[path](site);

const DAY_MS = 86_400_000;
/**
 * RFC 9116 recommends less than a year. Each answer has a new date, so the file never expires while the service runs.
 */
const SECURITY_TXT_DAYS = 180;

function securityTxt({ contact, baseUrl, now }: Site): string {
  const expires = new Date((Math.floor(now / DAY_MS) + SECURITY_TXT_DAYS) * DAY_MS).toISOString();
  const uri = /^[a-z][a-z0-9+.-]*:/i.test(contact) ? contact : `mailto:${contact}`;
  return `Contact: ${uri}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${baseUrl}/.well-known/security.txt\n`;
}

function text(body: string): WellKnownFile {
  return { type: 'text/plain; charset=utf-8', body: Buffer.from(body) };
}
