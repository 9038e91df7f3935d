import { within } from '@waypost/resilience';
import type { SendMail } from './notices.port.ts';
import type { MailSettings } from './settings.ts';

const STEP_MS = 10_000;
/** A server may answer each step in time and still take for ever. */
const WHOLE_MS = 60_000;

/** Undefined without a mail server. The library is loaded with the first mail. */
export function smtpMail({ smtpUrl, mailFrom, mailTo }: MailSettings, stepMs = STEP_MS): SendMail | undefined {
  if (smtpUrl === undefined || mailFrom === undefined || mailTo === undefined) return undefined;
  return async ({ subject, text }) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      ...smtpUrl,
      connectionTimeout: stepMs,
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const mail = { from: mailFrom, to: [...mailTo], subject, text, headers: { 'Auto-Submitted': 'auto-generated' } };
    const sent = await within(transport.sendMail(mail), WHOLE_MS, undefined);
    if (sent === undefined) throw new Error(`the mail server did not accept the mail within ${WHOLE_MS / 1_000} s`);
    return sent.rejected.length;
  };
}
