/** The files that the redirector serves beside short links. */
import { FAVICON } from '@waypost/html';

export interface WellKnownFile {
  readonly type: string;
  readonly body: Buffer;
}

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. Each answer computes it anew, so it never expires while the service runs. */
const SECURITY_TXT_DAYS = 180;

/** The file at this path, if there is one. `contact` is a URI or an e-mail address. */
export function wellKnownFile(
  path: string,
  site: { readonly contact: string; readonly baseUrl: string; readonly now: number },
): WellKnownFile | undefined {
  switch (path) {
    case '/robots.txt':
      // Crawling is allowed, so that crawlers see in X-Robots-Tag that nothing here belongs in an index.
      return text('User-agent: *\nDisallow:\n');
    case '/favicon.ico':
      return { type: 'image/x-icon', body: FAVICON };
    case '/.well-known/security.txt':
      return text(securityTxt(site));
    default:
      return undefined;
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
