import { describe, expect, test } from '@jest/globals';
import {
  attempted,
  changedWebhook,
  isCrowded,
  newWebhook,
  rotatedWebhook,
  switchedOff,
  WEBHOOK_LIMITS,
  type WebhookOutcome,
  type WebhookRecord,
} from './webhook.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);
const DAY_MS = 86_400_000;
const URL_OF_HOOK = 'https://hooks.example.org/';
const FRESH: WebhookRecord = {
  id: 'w',
  ...newWebhook(
    { accountId: 'a', scope: 'account', url: URL_OF_HOOK, events: ['link.created'], keyId: 'k1', secret: 'one' },
    NOON,
  ),
};
const OFF = switchedOff(FRESH, 'gone', after(1));
const change = (current: WebhookRecord, to: Partial<Parameters<typeof changedWebhook>[1]>, at: Date) =>
  changedWebhook(current, { ...current, enabled: current.disabled === null, keyId: 'k2', secret: 'two', ...to }, at);
const attempt = (result: WebhookOutcome['result'], endedAt: Date, more: Partial<WebhookOutcome> = {}) => ({
  url: URL_OF_HOOK,
  startedAt: endedAt,
  endedAt,
  result,
  ...more,
});

describe('an attempt', () => {
  const failing = { ...FRESH, failingSince: after(1) };

  test('that fails begins the time of failures, and one that succeeds ends it', () => {
    expect(attempted(FRESH, attempt('failed', after(1)))).toEqual(failing);
    expect(attempted(failing, attempt('failed', after(2)))).toBeUndefined();
    expect(attempted(failing, attempt('delivered', after(2)))).toEqual(FRESH);
    expect(attempted(FRESH, attempt('delivered', after(2)))).toBeUndefined();
  });

  test('that is given up switches the webhook off only after three days of failures', () => {
    const end = 1 + WEBHOOK_LIMITS.failingMs;
    expect(attempted(FRESH, attempt('given_up', after(end)))?.disabled).toBeNull();
    expect(attempted(failing, attempt('given_up', after(end - 1)))).toBeUndefined();
    expect(attempted(failing, attempt('failed', after(end)))).toBeUndefined();
    expect(attempted(failing, attempt('given_up', after(end)))).toMatchObject({
      disabled: { reason: 'failing', at: after(end) },
      clicksDueAt: null,
    });
  });

  test('that is answered 410 switches the webhook off at once, and once', () => {
    const gone = attempted(FRESH, attempt('gone', after(1)));
    expect(gone).toMatchObject({ disabled: { reason: 'gone', at: after(1) }, failingSince: after(1) });
    expect(attempted(gone!, attempt('gone', after(2)))).toBeUndefined();
  });

  test.each(['delivered', 'failed', 'given_up', 'gone'] as const)(
    'that was %s counts neither at an earlier URL nor from before the webhook was switched on',
    (result) => {
      const late = { startedAt: after(-1), endedAt: after(9 * DAY_MS) };
      for (const current of [FRESH, { ...FRESH, failingSince: NOON }]) {
        expect(attempted(current, attempt(result, late.endedAt, { url: 'https://old.example.org/' }))).toBeUndefined();
        expect(attempted(current, attempt(result, late.endedAt, late))).toBeUndefined();
      }
    },
  );
});

describe('a change', () => {
  test('to another host gives a new secret, and ends both earlier ones', () => {
    const rotated = rotatedWebhook(FRESH, 'newer', NOON);
    expect(rotated).toMatchObject({ secret: 'newer', oldSecret: 'one', oldSecretUntil: after(DAY_MS) });
    expect(change(rotated, { url: `${URL_OF_HOOK}other` }, after(1))).toMatchObject({
      secret: 'newer',
      oldSecret: 'one',
      keyId: 'k2',
    });
    for (const url of ['https://other.example.org/', 'https://hooks.example.org:8443/'])
      expect(change(rotated, { url }, after(1))).toMatchObject({
        secret: 'two',
        oldSecret: null,
        oldSecretUntil: null,
      });
    const same = { ...rotated, events: ['link.clicked'] } as const;
    expect(change(same, {}, after(1))).toEqual(same);
  });

  test('that switches it off keeps the first reason, and one that switches it on gets later events alone', () => {
    expect(change(FRESH, { enabled: false }, after(1)).disabled).toEqual({ reason: 'owner', at: after(1) });
    expect(change(OFF, {}, after(2)).disabled).toEqual(OFF.disabled);
    expect(change({ ...OFF, failingSince: NOON }, { enabled: true }, after(5_000))).toMatchObject({
      disabled: null,
      failingSince: null,
      enabledSince: after(5_000),
      clicksSince: after(5_000),
      clicksDueAt: after(5_000),
      clicksAfterAt: FRESH.clicksAfterAt + 5,
    });
    expect(change(FRESH, {}, after(2)).enabledSince).toEqual(NOON);
  });

  test('to another URL ends the time of failures, and the same URL does not', () => {
    const failing = { ...FRESH, failingSince: NOON };
    expect(change(failing, { url: `${URL_OF_HOOK}other` }, after(1)).failingSince).toBeNull();
    expect(change(failing, {}, after(1)).failingSince).toEqual(NOON);
  });

  test('that asks for clicks begins with those from then on, and its place never goes back', () => {
    const clicks = { events: ['link.clicked'] } as const;
    const begun = change({ ...FRESH, clicksAfterId: 'x' }, clicks, after(60_000));
    expect(begun).toMatchObject({ clicksSince: after(60_000), clicksAfterAt: FRESH.clicksAfterAt + 60 });
    expect(begun.clicksAfterId).toBe(FRESH.clicksAfterId);
    const ahead = { ...FRESH, clicksAfterAt: FRESH.clicksAfterAt + 100, clicksAfterId: 'x' };
    expect(change(ahead, clicks, after(60_000))).toMatchObject({
      clicksAfterAt: ahead.clicksAfterAt,
      clicksAfterId: 'x',
    });
    expect(change(begun, clicks, after(90_000))).toEqual({ ...begun, ...clicks });
  });
});

test('a webhook is crowded by messages or by bytes above the limit', () => {
  const { backlogMessages: messages, backlogBytes: bytes } = WEBHOOK_LIMITS;
  expect(isCrowded({ messages, bytes })).toBe(false);
  expect(isCrowded({ messages: messages + 1, bytes: 0 })).toBe(true);
  expect(isCrowded({ messages: 1, bytes: bytes + 1 })).toBe(true);
});
