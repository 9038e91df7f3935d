import { type Background, background, ifNoteworthy } from '@waypost/resilience';
import type { Notices, OperatorMail, SendMail, WaitingNotice } from './notices.port.ts';

interface Deps {
  readonly notices: Pick<Notices, 'claim' | 'mailed'>;
  readonly sendMail: SendMail;
  readonly baseUrl: string;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

const POLL_MS = 5_000;
/** This is longer than a mail may take. A process that dies before it has noted the mail causes a second one. */
const LEASE_MS = 120_000;
/** A flood of reports makes one mail in this time. */
const BETWEEN_MAILS_MS = 600_000;
const AWAY = { first: 60_000, most: 3_600_000 };
/** Notices of one mail, and how many of them it shows. */
const MOST = 1_000;
const SHOWN = 20;

/** Sends the operator a mail of what waits. While the mail server refuses it, all waits in the database. */
export function mailNotices({ notices, sendMail, baseUrl, now, onLateError }: Deps): Background {
  return background({
    backOff: AWAY,
    async work() {
      const at = now().getTime();
      const waiting = await notices.claim(new Date(at), new Date(at + LEASE_MS), MOST);
      if (waiting.length === 0) return POLL_MS;
      const refused = await sendMail(mailOf(waiting, baseUrl));
      await notices.mailed(
        waiting.map(({ id }) => id),
        new Date(now().getTime() + BETWEEN_MAILS_MS),
      );
      // The others have the mail, and would get it again with each retry.
      if (refused > 0) onLateError(new Error(`the mail server refused ${refused} of the addresses in MAIL_TO`));
      return POLL_MS;
    },
    onFailure: ifNoteworthy(onLateError),
  });
}

export function mailOf(waiting: readonly WaitingNotice[], baseUrl: string): OperatorMail {
  const counts = [...Map.groupBy(waiting, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${length} new ${kind}${length === 1 ? '' : 's'}`,
  );
  const more = waiting.length - SHOWN;
  const text = [
    `${counts.join(', ')} at ${baseUrl}:`,
    '',
    ...waiting.slice(0, SHOWN).map(({ line }) => line),
    ...(more > 0 ? [`and ${more} more`] : []),
    '',
    `Open cases: ${baseUrl}/admin/reports`,
    `Threat feeds that list this service: ${baseUrl}/admin/feeds`,
  ];
  return { subject: `Waypost: ${counts.join(', ')}`, text: `${text.join('\n')}\n` };
}
