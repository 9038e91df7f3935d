import type { ThreatFeeds } from '@waypost/ports';
import type { Database } from '@waypost/postgres';
import { slice } from '../platform/slice.ts';
import { mailNotices } from './mail-notices.job.ts';
import { noteOwnListings } from './note-own-listings.job.ts';
import type { Notices, SendMail } from './notices.port.ts';
import { postgresNotices } from './notices.sql.ts';

export interface NoticesPorts {
  readonly notices: Notices;
  readonly feeds: ThreatFeeds;
  /** Undefined without a mail server. */
  readonly sendMail: SendMail | undefined;
  readonly baseUrl: string;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

export const notices = slice({
  open: ({ sendMail, ...ports }: NoticesPorts) => {
    const mailing = sendMail === undefined ? [] : [mailNotices({ ...ports, sendMail }), noteOwnListings(ports)];
    return { jobs: mailing.map((job) => () => job.start()), forget: [(now) => ports.notices.forget(now)] };
  },
});

export const noticeStores = (db: Database) => ({ notices: postgresNotices(db) });

export type { Notice } from './notice.ts';

export { storeNotice } from './notices.sql.ts';
export { smtpMail } from './smtp-mail.adapter.ts';
