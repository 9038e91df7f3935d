import { expect, test } from '@jest/globals';
import { readSettings } from '@waypost/settings';
import { checkMail, MAIL } from './settings.ts';

const read = (environment: Record<string, string>) => readSettings(MAIL, environment, checkMail);
const GIVEN = {
  SMTP_URL: 'smtps://ops:p%40ss@mail.example.org',
  MAIL_FROM: 'waypost@example.org',
  MAIL_TO: 'abuse@example.org, on-call@example.org',
};
const SERVER = { host: 'mail.example.org', port: 465, secure: true, requireTLS: false };

test('mail is off unless it is set', () => {
  expect(read({})).toEqual({});
  expect(read(GIVEN)).toEqual({
    smtpUrl: { ...SERVER, auth: { user: 'ops', pass: 'p@ss' } },
    mailFrom: 'waypost@example.org',
    mailTo: ['abuse@example.org', 'on-call@example.org'],
  });
});

test.each([
  ['smtp://mail.example.org', { ...SERVER, port: 587, secure: false }],
  ['smtp://127.0.0.1:2525/', { ...SERVER, host: '127.0.0.1', port: 2525, secure: false }],
  ['smtps://[::1]:1465', { ...SERVER, host: '::1', port: 1465 }],
])('the address %p is a mail server', (SMTP_URL, server) => {
  expect(read({ ...GIVEN, SMTP_URL }).smtpUrl).toEqual(server);
});

test('a password is never sent without TLS', () => {
  const { smtpUrl } = read({ ...GIVEN, SMTP_URL: 'smtp://ops:pass@mail.example.org' });
  expect(smtpUrl).toMatchObject({ secure: false, requireTLS: true });
});

test('all three settings are required, and the message contains no secret', () => {
  const { SMTP_URL, MAIL_TO } = GIVEN;
  expect(() => read({ SMTP_URL })).toThrow(/MAIL_FROM is required[\s\S]*MAIL_TO is required/);
  expect(() => read({ MAIL_TO })).toThrow(/SMTP_URL is required/);
  expect(() => read({ ...GIVEN, SMTP_URL: 'http://ops:secret@mail.example.org' })).toThrow(/^(?!.*secret).*SMTP_URL/s);
});

test.each([
  ['SMTP_URL', 'mail.example.org'],
  ['SMTP_URL', 'smtp://'],
  ['SMTP_URL', 'smtp://mail.example.org/path'],
  ['SMTP_URL', 'smtp://mail.example.org?tls=no'],
  ['SMTP_URL', 'smtp://ops:50%@mail.example.org'],
  ['MAIL_FROM', 'Waypost <waypost@example.org>'],
  ['MAIL_FROM', 'waypost@example.org\r\nBcc: other@example.org'],
  ['MAIL_TO', 'abuse@example.org\nother@example.org'],
  ['MAIL_TO', 'none'],
  ['MAIL_TO', 'abuse'],
  ['MAIL_TO', Array.from({ length: 21 }, (_, i) => `a${i}@example.org`).join()],
])('%s is refused if it is %j', (name, value) => {
  expect(() => read({ ...GIVEN, [name]: value })).toThrow(new RegExp(name));
});
