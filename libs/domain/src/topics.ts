/** All that crosses the bus: versioned JSON. A consumer parks what it does not understand and goes on. */
import type { Click } from './click.ts';
import type { LinkStatus } from './link.ts';
import { isThreatType, type Reason, type ThreatType } from './threat.ts';

export const TOPICS = { links: 'links', verdicts: 'verdicts', clicks: 'clicks' } as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

/** Topic `links`, key: slug. Published if and only if the change was committed (outbox), in order per slug. */
export interface LinkEvent {
  readonly v: 1;
  readonly type: 'link.created' | 'link.revoked' | 'link.flagged' | 'link.cleared';
  readonly slug: string;
  readonly destination_url: string;
  readonly status: LinkStatus;
  readonly threat_type: ThreatType | null;
  /** The link's version after the change: with the slug, the identity of the event. */
  readonly version: number;
  readonly scan_generation: string;
  readonly at: string;
}

/** Topic `verdicts`, key: slug. A later scan of an existing link; link-api decides what follows. */
export interface VerdictEvent {
  readonly v: 1;
  readonly type: 'threat.found';
  readonly slug: string;
  readonly destination_url: string;
  readonly threat_type: ThreatType;
  readonly reasons: readonly Reason[];
  readonly generation: string;
  readonly at: string;
}

/** Topic `clicks`, key: event id (a slug key would make a hot partition). */
export type ClickEvent = { readonly v: 1; readonly type: 'click.recorded' } & Click;

/** A message that can never be understood: it is parked with this error, and the consumer goes on. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';
}

export function parseLinkEvent(value: string): LinkEvent {
  const data = parse(value);
  const types = ['link.created', 'link.revoked', 'link.flagged', 'link.cleared'];
  check(data.v === 1 && types.includes(data.type as string), 'not a link event of version 1');
  check(typeof data.slug === 'string' && typeof data.destination_url === 'string', 'slug or destination_url missing');
  check(
    Number.isInteger(data.version) && typeof data.scan_generation === 'string',
    'version or scan_generation missing',
  );
  return data as unknown as LinkEvent;
}

export function parseVerdictEvent(value: string): VerdictEvent {
  const data = parse(value);
  check(data.v === 1 && data.type === 'threat.found', 'not a verdict event of version 1');
  check(typeof data.slug === 'string' && typeof data.destination_url === 'string', 'slug or destination_url missing');
  check(isThreatType(data.threat_type), 'threat_type missing');
  check(Array.isArray(data.reasons) && data.reasons.every(isReason), 'reasons are not pairs of rule and evidence');
  check(typeof data.generation === 'string', 'generation missing');
  return data as unknown as VerdictEvent;
}

function isReason(value: unknown): value is Reason {
  const { rule, evidence } = (value ?? {}) as Record<string, unknown>;
  return typeof rule === 'string' && typeof evidence === 'string';
}

const CLICK_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function parseClickEvent(value: string): ClickEvent {
  const data = parse(value);
  check(data.v === 1 && data.type === 'click.recorded', 'not a click event of version 1');
  check(typeof data.id === 'string' && CLICK_ID.test(data.id), 'id is not a UUIDv7');
  check(typeof data.slug === 'string' && data.slug.length > 0 && data.slug.length <= 50, 'slug missing');
  check(Number.isSafeInteger(data.at) && (data.at as number) > 0, 'at is not a time in milliseconds');
  check(typeof data.visitor === 'string' && /^[0-9a-f]{16}$/.test(data.visitor), 'visitor is not 16 hex digits');
  check(typeof data.country === 'string' && /^[A-Z]{2}$/.test(data.country), 'country is not two letters');
  check(typeof data.userAgent === 'string' && typeof data.referrer === 'string', 'userAgent or referrer missing');
  return data as unknown as ClickEvent;
}

function parse(value: string): Record<string, unknown> {
  let data: unknown;
  try {
    data = JSON.parse(value);
  } catch (cause) {
    throw new UnreadableMessage('not JSON', { cause });
  }
  check(typeof data === 'object' && data !== null, 'not an object');
  return data as Record<string, unknown>;
}

function check(ok: boolean, problem: string): asserts ok {
  if (!ok) throw new UnreadableMessage(problem);
}
