/** The states of a link and the changes between them are described in docs/contract.md (States and transitions). */
import { DomainError } from './errors.ts';
import type { LinkStatus } from './link-status.ts';
import type { Reason, ThreatType } from './threat.ts';
import type { LinkEvent } from './topics.ts';

export interface Link {
  readonly slug: string;
  readonly ownerId: string;
  /** The URL as sent, without white space at its ends. */
  readonly destinationUrl: string;
  readonly status: LinkStatus;
  readonly threatType: ThreatType | null;
  /** The reason of the operator who took the link down, which the owner can read; null if none did. */
  readonly takeDownReason: string | null;
  readonly tags: readonly string[];
  /** For the owner alone, as is `note`. */
  readonly title: string | null;
  readonly note: string | null;
  /** From this time on, no redirect begins. The link is then revoked. */
  readonly endsAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly revokedAt: Date | null;
  /** The time of the scan at creation, or of the last scan that changed the link. */
  readonly scannedAt: Date;
  readonly scanGeneration: string;
  /**
   * 1 at creation, plus one with each change that visitors or consumers of events see. So a cache never replaces a
   * record by an older one.
   */
  readonly version: number;
}

/** Every field, so that stores read and keep each. */
const FIELDS: Readonly<Record<keyof Link, true>> = {
  slug: true,
  ownerId: true,
  destinationUrl: true,
  status: true,
  threatType: true,
  takeDownReason: true,
  tags: true,
  title: true,
  note: true,
  endsAt: true,
  createdAt: true,
  updatedAt: true,
  revokedAt: true,
  scannedAt: true,
  scanGeneration: true,
  version: true,
};
export const LINK_FIELDS = Object.keys(FIELDS) as readonly (keyof Link)[];
/** Nothing changes these after the creation. */
export const FIXED_LINK_FIELDS: readonly (keyof Link)[] = ['slug', 'ownerId', 'createdAt'];

export interface RedirectRecord {
  readonly slug: string;
  readonly ownerId: string;
  readonly status: LinkStatus;
  readonly destinationUrl: string;
  readonly threatType: ThreatType | null;
  /** ISO 8601; null unless the link is revoked. */
  readonly revokedAt: string | null;
  /** ISO 8601; absent if the link has no end. */
  readonly endsAt?: string;
  /** ISO 8601. */
  readonly scannedAt: string;
  readonly version: number;
}

/** The link and its event must be stored in one transaction. */
export interface LinkChange {
  readonly link: Link;
  readonly event: LinkEvent;
}

export function redirectRecord(
  link: Pick<
    Link,
    'slug' | 'ownerId' | 'status' | 'destinationUrl' | 'threatType' | 'revokedAt' | 'scannedAt' | 'version'
  > &
    Partial<Pick<Link, 'endsAt'>>,
): RedirectRecord {
  return {
    slug: link.slug,
    ownerId: link.ownerId,
    status: link.status,
    destinationUrl: link.destinationUrl,
    threatType: link.threatType,
    revokedAt: link.revokedAt?.toISOString() ?? null,
    ...(link.endsAt ? { endsAt: link.endsAt.toISOString() } : {}),
    scannedAt: link.scannedAt.toISOString(),
    version: link.version,
  };
}

export function linkNotFound(slug: string): DomainError {
  return new DomainError('link_not_found', `There is no link with the slug "${slug}".`);
}

/** `threatType` is null unless the scan flagged the URL. */
export type NewLink = Pick<Link, 'slug' | 'ownerId' | 'destinationUrl' | 'tags' | 'threatType' | 'scanGeneration'> & {
  readonly [Field in 'title' | 'note' | 'endsAt']?: Link[Field] | undefined;
};

/** An imported link has a `createdAt` before `now`. */
export function created(
  { title = null, note = null, endsAt = null, ...from }: NewLink,
  now: Date,
  createdAt = now,
): LinkChange {
  const link: Link = {
    ...from,
    title,
    note,
    endsAt,
    status: from.threatType === null ? 'active' : 'flagged',
    takeDownReason: null,
    createdAt,
    updatedAt: createdAt,
    revokedAt: null,
    scannedAt: now,
    version: 1,
  };
  return { link, event: event('link.created', link, now) };
}

/** What an owner may change of a link. An absent field stays as it is. */
export type LinkEdit = Partial<Pick<Link, 'title' | 'note' | 'tags' | 'endsAt'>>;

/**
 * Only a new end has an event: redirectors must learn it, even if this process dies after the commit. Returns
 * undefined if nothing differs. The last change of a revoked link stays its revocation. Throws `validation_failed` for
 * an end that is past or too late, and for any end of a revoked link.
 */
export function edited(
  current: Link,
  edit: LinkEdit,
  now: Date,
): (Pick<LinkChange, 'link'> & Partial<LinkChange>) | undefined {
  const over = isOver(current, now);
  if (edit.endsAt !== undefined) {
    const words = over ? 'cannot be changed: the link is revoked' : edit.endsAt && endProblem(edit.endsAt, now);
    if (words) throw new DomainError('validation_failed', `ends_at ${words}.`, { details: { ends_at: words } });
  }
  const fields = Object.keys(edit) as (keyof LinkEdit)[];
  const differs = (field: keyof LinkEdit) => JSON.stringify(edit[field]) !== JSON.stringify(current[field]);
  if (!fields.some(differs)) return undefined;
  if (edit.endsAt !== undefined && differs('endsAt')) return change('link.edited', current, edit, now);
  return { link: { ...current, ...edit, updatedAt: over ? current.updatedAt : now } };
}

/** A link that has reached its end is over, also before it is stored as revoked. */
function isOver({ status, endsAt }: Link, now: Date): boolean {
  return status === 'revoked' || (endsAt !== null && endsAt <= now);
}

const MOST_YEARS = 10;

/** Returns the problem of an end that an owner sets now. */
export function endProblem(endsAt: Date, now: Date): string | undefined {
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + MOST_YEARS);
  if (endsAt <= now) return 'must be in the future';
  return endsAt > last ? `must be at most ${MOST_YEARS} years ahead` : undefined;
}

/**
 * The link has reached its end, whether it was active or flagged: it is revoked from that time on. Returns undefined if
 * it has no end, a later one, or is revoked.
 */
export function ended(current: Link, now: Date): LinkChange | undefined {
  const { status, endsAt } = current;
  if (status === 'revoked' || endsAt === null || endsAt > now) return undefined;
  const to = { ...NOT_FLAGGED, status: 'revoked', revokedAt: endsAt } as const;
  const { link, event } = change('link.revoked', current, to, endsAt);
  return { link, event: { ...event, cause: 'ended' } };
}

/** What visitors see of the link at this time, in Unix milliseconds: one past its end is revoked. */
export function recordAt(record: RedirectRecord, at: number): RedirectRecord {
  const { status, endsAt } = record;
  if (endsAt === undefined || status === 'revoked' || at < Date.parse(endsAt)) return record;
  return { ...record, status: 'revoked', threatType: null, revokedAt: endsAt };
}

export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Tags that stay keep their places; new ones follow. */
export function tagsAfter(tags: readonly string[], { add, remove }: TagChange): readonly string[] {
  return [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])];
}

/** Throws for a revoked link, which is final, and for a flagged one, which its owner cannot revoke. */
export function revoked(current: Link, now: Date): LinkChange {
  assertNotRevoked(current, now);
  if (current.status === 'flagged') {
    throw new DomainError(
      'link_flagged',
      `The link "${current.slug}" is flagged; it does not redirect and cannot be revoked.`,
    );
  }
  return change('link.revoked', current, { status: 'revoked', revokedAt: now }, now);
}

/** A later scan has detected a threat. Returns undefined for a revoked or flagged link, which stays as it is. */
export function flagged(
  current: Link,
  threat: { threatType: ThreatType; reasons: readonly Reason[]; generation: string },
  now: Date,
): LinkChange | undefined {
  if (current.status !== 'active' || isOver(current, now)) return undefined;
  const { threatType, generation: scanGeneration } = threat;
  return change('link.flagged', current, { status: 'flagged', threatType, scannedAt: now, scanGeneration }, now);
}

/**
 * An operator takes the link down. The link is then flagged until a review clears it. Throws `link_already_revoked` for
 * a revoked link.
 */
export function takenDown(current: Link, threat: { threatType: ThreatType; reason: string }, now: Date): LinkChange {
  assertNotRevoked(current, now);
  const { threatType, reason: takeDownReason } = threat;
  return change('link.flagged', current, { status: 'flagged', threatType, takeDownReason }, now);
}

/** A person has decided in a review that the flag is wrong. */
export function cleared(current: Link, now: Date): LinkChange {
  assertFlagged(current);
  return change('link.cleared', current, NOT_FLAGGED, now);
}

const NOT_FLAGGED = { status: 'active', threatType: null, takeDownReason: null } as const;

/** This URL replaces the destination of an erased link. Names in `.invalid` never resolve (RFC 2606). */
export const ERASED_DESTINATION = 'https://erased.invalid/';

/**
 * Erases a link after the owner's account was deleted. The slug stays reserved, and visitors read that the link was
 * revoked. Flagged links are erased too: without its destination, no review could clear one. Returns undefined if the
 * link was erased before.
 */
export function erased(current: Link, now: Date): LinkChange | undefined {
  if (current.status === 'revoked' && current.destinationUrl === ERASED_DESTINATION) return undefined;
  const nothing = {
    destinationUrl: ERASED_DESTINATION,
    takeDownReason: null,
    tags: [],
    title: null,
    note: null,
    endsAt: null,
  };
  const revokedAt = current.revokedAt ?? now;
  return change('link.revoked', current, { ...nothing, status: 'revoked', revokedAt }, now);
}

/**
 * Removes a flag that only lists caused, once no list contains the URL any more. `sources` are the lists that have not
 * listed it for long enough (`feed:<name>`, `provider:<name>`). Returns undefined if another list, a rule or a person
 * caused the flag, too; then it needs a review.
 */
export function unflagged(
  current: Link,
  flag: { readonly reasons: readonly Reason[]; readonly keptByReview: boolean },
  gone: { readonly sources: readonly string[]; readonly generation: string },
  now: Date,
): LinkChange | undefined {
  if (current.status !== 'flagged' || isOver(current, now) || current.takeDownReason !== null || flag.keptByReview)
    return undefined;
  // The scan at creation does not say which of its reasons caused the flag, so all of them must be gone.
  const typed = flag.reasons.filter(({ threat_type }) => threat_type !== undefined);
  const flagging = typed.length > 0 ? typed : flag.reasons;
  const isGone = ({ rule }: Reason) => gone.sources.includes(rule);
  if (flagging.length === 0 || !flagging.every(isGone)) return undefined;
  const scanned = { scannedAt: now, scanGeneration: gone.generation };
  return change('link.cleared', current, { ...NOT_FLAGGED, ...scanned }, now);
}

/** A visitor has reported the link. The link does not change, but consumers of the event can react. */
export function reported(current: Link, now: Date): LinkEvent {
  return event('link.reported', current, now);
}

function assertNotRevoked(link: Link, now: Date): void {
  if (isOver(link, now)) throw new DomainError('link_already_revoked', `The link "${link.slug}" is already revoked.`);
}

export function assertFlagged(link: Link): void {
  if (link.status !== 'flagged') {
    throw new DomainError(
      'link_not_flagged',
      `The link "${link.slug}" is ${link.status}. Only a flagged link can be reviewed.`,
    );
  }
}

function change(type: LinkEvent['type'], current: Link, changes: Partial<Link>, now: Date): LinkChange {
  const link: Link = { ...current, ...changes, updatedAt: now, version: current.version + 1 };
  return { link, event: event(type, link, now) };
}

function event(type: LinkEvent['type'], link: Link, at: Date): LinkEvent {
  return {
    v: 1,
    type,
    slug: link.slug,
    destination_url: link.destinationUrl,
    status: link.status,
    threat_type: link.threatType,
    version: link.version,
    scan_generation: link.scanGeneration,
    at: at.toISOString(),
  };
}
