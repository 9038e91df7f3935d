import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AllowedHosts, WEBHOOK_LIMITS } from '@waypost/domain';
import { byDns, codeOf, NotPublic, publicRequest, type Resolve } from '@waypost/public-request';
import type { SendWebhook } from './webhooks.port.ts';

export interface WebhookSenderOptions {
  /** The sender may reach these receivers although their addresses are not public. */
  readonly allowed: AllowedHosts;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

/** Sends messages as Standard Webhooks specifies. It does not follow redirects; a redirect counts as a failure. */
export function webhookSender({
  allowed,
  resolve = byDns(allowed),
  timeoutMs = WEBHOOK_LIMITS.timeoutMs,
}: WebhookSenderOptions): SendWebhook {
  return async ({ url, id, body, secrets, at }, stopping) => {
    const timestamp = Math.floor(at.getTime() / 1000);
    const signed = `${id}.${timestamp}.${body}`;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await publicRequest({
        url: new URL(url),
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'waypost-webhooks/1',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': secrets.map((secret) => signature(secret, signed)).join(' '),
        },
        body,
        allowed,
        signal: AbortSignal.any([timeout, stopping]),
        resolve,
      });
      const status = response.statusCode ?? 0;
      const retryAfterMs = waitOf(response.headers['retry-after'], at);
      return { status, answer: await beginningOf(response), error: null, retryAfterMs };
    } catch (error) {
      return { status: null, answer: null, error: problemOf(error, timeout.aborted, timeoutMs) };
    }
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** Reads `Retry-After`: seconds, or a date. */
function waitOf(header: string | undefined, at: Date): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - at.getTime();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Returns the start of the body as text that PostgreSQL can store. A body that breaks off is no failure. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= WEBHOOK_LIMITS.answerBytes) break;
    }
  } catch {
    // The connection broke; the part that arrived is kept.
  }
  response.destroy();
  const beginning = Buffer.concat(chunks).subarray(0, WEBHOOK_LIMITS.answerBytes);
  return new TextDecoder().decode(beginning).replaceAll('\u0000', '\ufffd');
}

function problemOf(error: unknown, late: boolean, timeoutMs: number): string {
  if (error instanceof NotPublic) return error.message;
  return late ? `no response within ${timeoutMs / 1000} s` : `the host cannot be reached${codeOf(error)}`;
}
