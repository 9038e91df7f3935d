/** This file does not import nodemailer, because config.ts of each service imports this file. */
import { type Check, type Settings, setting } from '@waypost/settings';

interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** A password is never sent in the clear. */
  readonly requireTLS: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

const FORM = 'must be a URL like smtps://user:password@mail.example.org:465, or smtp:// for STARTTLS';

function parseServer(text: string): MailServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === 'smtps:';
  if (url === undefined || !(secure || url.protocol === 'smtp:') || url.hostname === '' || /[?#]/.test(text))
    throw new Error(FORM);
  if (!['', '/'].includes(url.pathname)) throw new Error(FORM);
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
  const server = { host: url.hostname.replace(/^\[|\]$/g, ''), port, secure };
  if (url.username === '') return { ...server, requireTLS: false };
  try {
    const [user, pass] = [url.username, url.password].map(decodeURIComponent) as [string, string];
    return { ...server, requireTLS: !secure, auth: { user, pass } };
  } catch {
    throw new Error('has an invalid % in its user or password. Write % as %25');
  }
}

/** No address has a character that could end a header or begin another recipient. */
function parseAddress(text: string): string {
  if (text.length > 254 || !/^[^\s\p{C}@<>()[\]:;,"\\]+@[^\s\p{C}@<>()[\]:;,"\\]+$/u.test(text))
    throw new Error('must be an e-mail address, like waypost@example.org');
  return text;
}

const MOST_RECIPIENTS = 20;

function parseAddresses(entries: readonly string[]): string[] {
  if (entries.length > MOST_RECIPIENTS) throw new Error(`must have at most ${MOST_RECIPIENTS} addresses`);
  return entries.map(parseAddress);
}

export const MAIL = {
  SMTP_URL: setting
    .address('Mail server for notices about reports and review requests (`docs/operator-interface.md`).', parseServer)
    .optional('no notices'),
  MAIL_FROM: setting.parsed('e-mail address', 'Sender of notices.', parseAddress).optional(),
  MAIL_TO: setting.list('Recipients of notices.', parseAddresses).optional(),
};

export const checkMail: Check<typeof MAIL> = (read, fault) => {
  const needed = { SMTP_URL: read.smtpUrl, MAIL_FROM: read.mailFrom, MAIL_TO: read.mailTo };
  const present = Object.values(needed).filter((value) => value !== undefined);
  for (const [name, value] of Object.entries(needed))
    if (value === undefined && present.length > 0)
      fault(name, 'is required together with SMTP_URL, MAIL_FROM and MAIL_TO');
  if (read.mailTo?.length === 0) fault('MAIL_TO', 'must have at least one address');
};

export type MailSettings = Settings<typeof MAIL>;
