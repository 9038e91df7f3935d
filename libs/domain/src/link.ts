/** The link: its states and the changes between them (docs/contract.md, States and transitions). */
import { DomainError } from './errors.ts';
import type { Reason, ThreatType, Verdict } from './threat.ts';
import type { LinkEvent } from './topics.ts';

export const LINK_STATUSES = ['active', 'flagged', 'revoked'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export interface Link {
  readonly slug: string;
  readonly ownerId: string;
  /** As sent, trimmed. */
  readonly destinationUrl: string;
  readonly status: LinkStatus;
  readonly threatType: ThreatType | null;
  /** Why an operator took it down, for its owner; null unless one did. */
  readonly takeDownReason: string | null;
  readonly tags: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly revokedAt: Date | null;
  /** Of the scan at creation, or of the last one that changed what is known; one that finds nothing new leaves them. */
  readonly scannedAt: Date;
  readonly scanGeneration: string;
  /** Whether a deep scan of the destination is queued, for when the link is active, or done; null if none was due. */
  readonly deepScan: 'queued' | 'done' | null;
  /** Whether visitors see the preview page before they go on. */
  readonly previewFirst: boolean;
  /** 1 at creation, plus one for each change, so that a cache never replaces a newer version by an older one. */
  readonly version: number;
}

/** What the redirector needs to answer a visitor. */
export interface RedirectRecord {
  readonly slug: string;
  readonly status: LinkStatus;
  readonly destinationUrl: string;
  readonly threatType: ThreatType | null;
  /** ISO 8601, null unless revoked. */
  readonly revokedAt: string | null;
  /** ISO 8601. */
  readonly scannedAt: string;
  /** Visitors see the preview page before they go on; absent if not. */
  readonly previewFirst?: boolean;
  readonly version: number;
}

/** The new link and the event for it, which are stored together. */
export interface LinkChange {
  readonly link: Link;
  readonly event: LinkEvent;
}

/** A change that concerns nobody but visitors and the owner has no event. */
export type LinkUpdate = Pick<LinkChange, 'link'> & Partial<Pick<LinkChange, 'event'>>;

export function redirectRecord(
  link: Pick<Link, 'slug' | 'status' | 'destinationUrl' | 'threatType' | 'revokedAt' | 'scannedAt' | 'version'> &
    Partial<Pick<Link, 'previewFirst'>>,
): RedirectRecord {
  return {
    slug: link.slug,
    status: link.status,
    destinationUrl: link.destinationUrl,
    threatType: link.threatType,
    revokedAt: link.revokedAt?.toISOString() ?? null,
    scannedAt: link.scannedAt.toISOString(),
    ...(link.previewFirst === true ? { previewFirst: true } : {}),
    version: link.version,
  };
}

export function linkNotFound(slug: string): DomainError {
  return new DomainError('link_not_found', `There is no link with the slug "${slug}" among yours.`);
}

export interface NewLink {
  readonly slug: string;
  readonly ownerId: string;
  readonly destinationUrl: string;
  readonly tags: readonly string[];
  /** The threat type if the scan flagged the URL, else null. */
  readonly threatType: ThreatType | null;
  readonly scanGeneration: string;
  /** Of its scan's verdict. */
  readonly deepScan?: Verdict['deep_scan'] | undefined;
}

/**
 * A new link is `active`, or `flagged` when its scan found a threat. `createdAt` is earlier for one that moves in from
 * another service.
 */
export function created({ deepScan, ...from }: NewLink, now: Date, createdAt = now): LinkChange {
  const link: Link = {
    ...from,
    status: from.threatType === null ? 'active' : 'flagged',
    deepScan: deepScan === undefined ? null : 'queued',
    previewFirst: deepScan?.preview_first ?? false,
    takeDownReason: null,
    createdAt,
    updatedAt: createdAt,
    revokedAt: null,
    scannedAt: now,
    version: 1,
  };
  return { link, event: event('link.created', link, now) };
}

/** States, rules 1 to 3: revoked is final, and a flagged link is not its owner's to revoke. */
export function revoked(current: Link, now: Date): LinkChange {
  assertNotRevoked(current);
  if (current.status === 'flagged') {
    throw new DomainError(
      'link_flagged',
      `The link "${current.slug}" is flagged; it does not redirect and cannot be revoked.`,
    );
  }
  return changed('link.revoked', current, { status: 'revoked', revokedAt: now }, now);
}

/** A later scan found a threat. This changes active links only: a revoked link stays revoked, a flagged one flagged. */
export function flagged(
  current: Link,
  found: { threatType: ThreatType; reasons: readonly Reason[]; generation: string },
  now: Date,
): LinkChange | undefined {
  if (current.status !== 'active') return undefined;
  const { threatType, generation: scanGeneration } = found;
  return changed('link.flagged', current, { status: 'flagged', threatType, scannedAt: now, scanGeneration }, now);
}

/** Its deep scan ended. A revoked link stays as it is; undefined if nothing changes. */
export function deepScanned(
  current: Link,
  { previewFirst, generation }: { readonly previewFirst: boolean; readonly generation: string },
  now: Date,
): LinkUpdate | undefined {
  if (current.deepScan !== 'queued' || current.status === 'revoked') return undefined;
  const link: Link = {
    ...current,
    deepScan: 'done',
    previewFirst,
    scannedAt: now,
    scanGeneration: generation,
    version: current.version + 1,
  };
  return { link };
}

/**
 * An operator takes it down: a flagged link in every respect, which only a review clears. Throws `link_already_revoked`
 * for a revoked one, which stays as it is.
 */
export function takenDown(current: Link, found: { threatType: ThreatType; reason: string }, now: Date): LinkChange {
  assertNotRevoked(current);
  const { threatType, reason: takeDownReason } = found;
  return changed('link.flagged', current, { status: 'flagged', threatType, takeDownReason }, now);
}

/** A manual review found the flag wrong. */
export function cleared(current: Link, now: Date): LinkChange {
  assertFlagged(current);
  return changed('link.cleared', current, NOT_FLAGGED, now);
}

const NOT_FLAGGED = { status: 'active', threatType: null, takeDownReason: null } as const;

/** In the place of a destination that was erased; `.invalid` never resolves (RFC 2606). */
export const ERASED_DESTINATION = 'https://erased.invalid/';

/**
 * Its owner's account is deleted: the slug stays reserved, nothing of the owner stays, and visitors read that the link
 * was revoked. Also for a flagged one, since without its destination no review can clear it. Undefined if it is erased.
 */
export function erased(current: Link, now: Date): LinkChange | undefined {
  if (current.status === 'revoked' && current.destinationUrl === ERASED_DESTINATION) return undefined;
  const nothing = { destinationUrl: ERASED_DESTINATION, takeDownReason: null, tags: [] };
  const revokedAt = current.revokedAt ?? now;
  return changed('link.revoked', current, { ...nothing, status: 'revoked', revokedAt }, now);
}

/**
 * What flagged it is gone: only lists did, and none has it any more. `sources`: the lists, as rules (`feed:<name>`,
 * `provider:<name>`), that have been silent for long enough. Undefined if a list that is not among them holds the flag, or
 * a person or any other rule, which then needs a review.
 */
export function unflagged(
  current: Link,
  flag: { readonly reasons: readonly Reason[]; readonly keptByReview: boolean },
  gone: { readonly sources: readonly string[]; readonly generation: string },
  now: Date,
): LinkChange | undefined {
  if (current.status !== 'flagged' || current.takeDownReason !== null || flag.keptByReview) return undefined;
  // The scan of a creation does not say which of its reasons flag: then all must be gone.
  const typed = flag.reasons.filter(({ threat_type }) => threat_type !== undefined);
  const flagging = typed.length > 0 ? typed : flag.reasons;
  const isGone = ({ rule }: Reason) => gone.sources.includes(rule);
  if (flagging.length === 0 || !flagging.every(isGone)) return undefined;
  const scanned = { scannedAt: now, scanGeneration: gone.generation };
  return changed('link.cleared', current, { ...NOT_FLAGGED, ...scanned }, now);
}

/** A visitor reported it: what others may do about it. */
export function reported(current: Link, now: Date): LinkEvent {
  return event('link.reported', current, now);
}

function assertNotRevoked({ status, slug }: Link): void {
  if (status === 'revoked') throw new DomainError('link_already_revoked', `The link "${slug}" is already revoked.`);
}

export function assertFlagged(link: Link): void {
  if (link.status !== 'flagged') {
    throw new DomainError(
      'link_not_flagged',
      `The link "${link.slug}" is ${link.status}, not flagged: there is nothing to review.`,
    );
  }
}

function changed(type: LinkEvent['type'], current: Link, changes: Partial<Link>, now: Date): LinkChange {
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
    ...(link.deepScan === 'queued' ? { deep_scan: link.deepScan } : {}),
    at: at.toISOString(),
  };
}
