import { describe, expect, test } from '@jest/globals';
import { Webhook as Standard } from 'standardwebhooks';
import { verifyWebhook } from './index.ts';

const secret = `whsec_${Buffer.from('a secret of twenty-four').toString('base64')}`;
const body = '{"type":"link.created","data":{"slug":"ä"}}';
const id = 'msg_1';
const at = new Date('2026-11-21T12:00:00Z');
const headers = {
  'webhook-id': id,
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': new Standard(secret).sign(id, at, body),
};
const now = () => at;

describe('verifyWebhook', () => {
  test('accepts a signature of the public library, with any type of body and headers', async () => {
    const data = JSON.parse(body);
    expect(await verifyWebhook({ body, headers, secret, now })).toEqual(data);
    expect(await verifyWebhook({ body: Buffer.from(body), headers: new Headers(headers), secret, now })).toEqual(data);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook({ body, headers: shouted, secret: ['whsec_AAAA', secret], now })).toEqual(data);
    const rotated = { ...headers, 'webhook-signature': `v1a,x v1,AAAA ${headers['webhook-signature']}` };
    expect(await verifyWebhook({ body, headers: rotated, secret, now })).toEqual(data);
  });

  test.each([
    ['another body', { body: `${body} ` }],
    ['another id', { headers: { ...headers, 'webhook-id': 'msg_2' } }],
    ['another secret', { secret: 'whsec_AAAA' }],
    ['no secret', { secret: 'whsec_' }],
    ['no header', { headers: {} }],
    ['a signature of another version', { headers: { ...headers, 'webhook-signature': 'v2,AAAA' } }],
    ['an invalid time', { headers: { ...headers, 'webhook-timestamp': 'now' } }],
    ['an old message', { now: () => new Date(at.getTime() + 301_000) }],
    ['a message from the future', { now: () => new Date(at.getTime() - 301_000) }],
  ])('refuses %s', async (_what, changed) => {
    await expect(verifyWebhook({ body, headers, secret, now, ...changed })).rejects.toMatchObject({
      name: 'WebhookError',
    });
  });
});
