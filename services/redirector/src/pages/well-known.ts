import { FAVICON } from '@waypost/html';

const PATHS = ['/robots.txt', '/favicon.ico', '/.well-known/security.txt'] as const;
export type WellKnownPath = (typeof PATHS)[number];
export const isWellKnown = (path: string): path is WellKnownPath => (PATHS as readonly string[]).includes(path);

export interface WellKnownFile {
  readonly type: string;
  readonly body: Buffer;
}

const DAY_MS = 86_400_000;
/**
 * RFC 9116 recommends less than a year. Each answer has a new date, so the file never expires while the service runs.
 */
const SECURITY_TXT_DAYS = 180;

/** Returns the file at this path. `contact` is a URI or an e-mail address. */
export function wellKnownFile(
  path: WellKnownPath,
  site: { readonly contact: string; readonly baseUrl: string; readonly now: number },
): WellKnownFile {
  switch (path) {
    case '/robots.txt':
      // Crawling is allowed, so that crawlers read X-Robots-Tag, which keeps everything here out of their index.
      return text('User-agent: *\nDisallow:\n');
    case '/favicon.ico':
      return { type: 'image/x-icon', body: FAVICON };
    case '/.well-known/security.txt':
      return text(securityTxt(site));
  }
}

function securityTxt({ contact, baseUrl, now }: { contact: string; baseUrl: string; now: number }): string {
  const expires = new Date((Math.floor(now / DAY_MS) + SECURITY_TXT_DAYS) * DAY_MS).toISOString();
  const uri = /^[a-z][a-z0-9+.-]*:/i.test(contact) ? contact : `mailto:${contact}`;
  return `Contact: ${uri}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${baseUrl}/.well-known/security.txt\n`;
}

function text(body: string): WellKnownFile {
  return { type: 'text/plain; charset=utf-8', body: Buffer.from(body) };
}
