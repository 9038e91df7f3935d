/** Messages are signed as specified by Standard Webhooks (https://www.standardwebhooks.com). */
import type { WebhookMessage } from './api-types.ts';
import { webCrypto } from './web-crypto.ts';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type MessageHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Webhook {
  /** The body exactly as received. If it was parsed and serialised again, its signature would differ. */
  readonly body: string | Uint8Array;
  readonly headers: MessageHeaders;
  /** The secret of the endpoint: `whsec_` and Base64. Pass both secrets during a rotation. */
  readonly secret: string | readonly string[];
  /** How many seconds the time of the message may lie in the past or the future. The default is 300. */
  readonly toleranceSeconds?: number;
  readonly now?: () => Date;
}

/** Resolves to the message. Rejects with `WebhookError` if the signature is wrong or the time is too far off. */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
  now = () => new Date(),
}: Webhook): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp must be a Unix timestamp in seconds.');
  if (Math.abs(now().getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError('The message is too old or too new. Check the clock of this server.');
  }
  const { subtle } = await webCrypto();
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const one of [secret].flat()) {
    const bytes = fromBase64(one.replace(/^whsec_/, ''));
    if (bytes === undefined || bytes.length === 0) throw new WebhookError('The secret must be in Base64.');
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures.filter((each) => each.startsWith('v1,'))) {
      const bytes = fromBase64(signature.slice(3));
      // WebCrypto takes the same time for right and wrong signatures, so an attacker learns nothing from it.
      if (bytes !== undefined && (await subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(text);
    }
  }
  throw new WebhookError('The message has no valid signature.');
}

function headerOf(headers: MessageHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`);
  return value;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
