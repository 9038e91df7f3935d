/** All events on the bus have a version. `deploy/asyncapi.yaml` describes them for others. */
import { count, dateTime, either, listOf, matching, objectOf, oneOf, text, textOf } from './checks.ts';
import { LINK_STATUSES, type LinkStatus } from './link-status.ts';
import { SLUG, SLUG_SHAPE } from './slug.ts';
import { isThreatType, type Reason, type ThreatType } from './threat.ts';
import { TOPICS, topic } from './topic.ts';

const slug = matching(SLUG);
const TYPES = ['link.created', 'link.edited', 'link.revoked', 'link.flagged', 'link.cleared', 'link.reported'] as const;

/** An event of the topic `links`. It is published exactly if the change was committed, in order for each slug. */
export interface LinkEvent {
  readonly v: 1;
  /**
   * `link.edited`: its end was set, moved or removed. `link.reported`: a visitor reported the link, which did not
   * change. The fields are those of its last change.
   */
  readonly type: (typeof TYPES)[number];
  readonly slug: string;
  readonly destination_url: string;
  readonly status: LinkStatus;
  readonly threat_type: ThreatType | null;
  /** The version of the link after the change. Slug and version together identify the event. */
  readonly version: number;
  readonly scan_generation: string;
  /** Present if the link was revoked because it reached its end. */
  readonly cause?: 'ended';
  readonly at: string;
}

export const LINKS = topic<LinkEvent>({
  name: TOPICS.links,
  key: (event) => event.slug,
  // A destination has at most 2,048 bytes, and the other fields are small.
  longest: 16_384,
  fields: {
    v: oneOf(1),
    type: oneOf(...TYPES),
    slug,
    destination_url: text,
    status: oneOf(...LINK_STATUSES),
    threat_type: either(isThreatType, oneOf(null)),
    version: count,
    scan_generation: text,
    cause: oneOf('ended', undefined),
    at: dateTime,
  },
});

/** An event of the topic `verdicts`: the result of a later scan of a link. link-api decides what happens then. */
export interface VerdictEvent {
  readonly v: 1;
  /** `threat.gone`: the scan detects nothing now, and the sources in `reasons` have not listed the URL for long. */
  readonly type: 'threat.found' | 'threat.gone';
  readonly slug: string;
  readonly destination_url: string;
  readonly threat_type: ThreatType;
  readonly reasons: readonly Reason[];
  readonly generation: string;
  readonly at: string;
}

export const VERDICTS = topic<VerdictEvent>({
  name: TOPICS.verdicts,
  key: (event) => event.slug,
  fields: {
    v: oneOf(1),
    type: oneOf('threat.found', 'threat.gone'),
    slug,
    destination_url: text,
    threat_type: isThreatType,
    reasons: listOf(
      objectOf<Reason>({ rule: text, evidence: text, threat_type: either(isThreatType, oneOf(undefined)) }),
    ),
    generation: text,
    at: dateTime,
  },
});

/** An event of the topic `clicks`: a GET was answered with a redirect. It does not have the visitor's address. */
export interface ClickEvent {
  readonly v: 2;
  readonly type: 'click.recorded';
  /** A UUIDv7 from the redirector. It identifies the click, so a repeated click is not counted again. */
  readonly id: string;
  /** The account that owns the link. */
  readonly account_id: string;
  readonly slug: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** The first 64 bits of HMAC-SHA-256(secret, slug + client address), as 16 lower-case hex digits. */
  readonly visitor: string;
  /** The same hash with the previous secret. Absent once no figures include clicks from before the rotation. */
  readonly previous_visitor?: string | undefined;
  /** ISO 3166-1 alpha-2, `ZZ` when unknown. */
  readonly country: string;
  /** The User-Agent header, at most 512 characters. Do not trust this text. */
  readonly user_agent: string;
  /** Scheme and host of the Referer header, at most 512 characters. Do not trust this text. */
  readonly referrer: string;
}

const CLICK_ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const VISITOR = '[0-9a-f]{16}';
const COUNTRY = '[A-Z]{2}';
const TEXT_MAX = 512;
const visitorHash = matching(new RegExp(`^${VISITOR}$`));

const TO_ID = '"v":2,"type":"click.recorded","id":"';
const CLICK_HEAD = `{${TO_ID}`;
const ID_END = CLICK_HEAD.length + 36;

export const CLICKS = topic<ClickEvent>({
  name: TOPICS.clicks,
  // The id is the key, because the slug would send all clicks of a popular link to one partition.
  key: (event) => event.id,
  hasLines: true,
  // An event has two texts of at most 512 characters, with up to six bytes for each, and about 300 other bytes.
  longest: 8_192,
  fields: {
    v: oneOf(2),
    type: oneOf('click.recorded'),
    id: matching(new RegExp(`^${CLICK_ID}$`)),
    account_id: matching(new RegExp(`^${UUID}$`)),
    slug,
    at: count,
    visitor: visitorHash,
    previous_visitor: either(visitorHash, oneOf(undefined)),
    country: matching(new RegExp(`^${COUNTRY}$`)),
    user_agent: textOf(0, TEXT_MAX),
    referrer: textOf(0, TEXT_MAX),
  },
  /** Returns one line of ASCII. It is written by hand for speed, because every redirect calls it. */
  encode: ({ id, account_id, slug, at, visitor, previous_visitor: previous, country, user_agent, referrer }) => {
    const visitors = previous === undefined ? visitor : `${visitor}","previous_visitor":"${previous}`;
    return `${CLICK_HEAD}${id}","account_id":"${account_id}","slug":"${slug}","at":${at},"visitor":"${visitors}","country":"${country}","user_agent":"${jsonText(user_agent)}","referrer":"${jsonText(referrer)}"}`;
  },
  readEncoded: writtenClick,
});

const PLAIN = '[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*';
/** Matches a click as `CLICKS` encodes it, if no character needs an escape. Almost all clicks match. */
const WRITTEN = new RegExp(
  `^\\{${TO_ID}(${CLICK_ID})","account_id":"(${UUID})","slug":"(${SLUG_SHAPE})","at":([1-9][0-9]{0,14}),"visitor":"(${VISITOR})",` +
    `(?:"previous_visitor":"(${VISITOR})",)?"country":"(${COUNTRY})",` +
    `"user_agent":"(${PLAIN})","referrer":"(${PLAIN})"\\}$`,
);
/** V8 copies a part of a text that is shorter. A longer part refers to the whole text and keeps it in memory. */
const COPIED = 13;

/** One regular expression takes a third of the time of JSON and a check for each field. */
function writtenClick(line: string): ClickEvent | undefined {
  const [, id, account_id, slug, at, visitor, previous, country, user_agent, referrer] = WRITTEN.exec(line) ?? [];
  if (id === undefined || user_agent!.length > TEXT_MAX || referrer!.length > TEXT_MAX) return undefined;
  return {
    v: 2,
    type: 'click.recorded',
    id,
    account_id: account_id!,
    // Other code stores slugs. A copy does not keep the whole message in memory.
    slug: slug!.length < COPIED ? slug! : (JSON.parse(`"${slug}"`) as string),
    at: Number(at),
    visitor: visitor!,
    ...(previous !== undefined && { previous_visitor: previous }),
    country: country!,
    user_agent: user_agent!,
    referrer: referrer!,
  };
}

export const clickIdOf = (line: string): string => line.slice(CLICK_HEAD.length, ID_END);

const NEEDS_NO_ESCAPE = new RegExp(`^${PLAIN}$`);

function jsonText(value: string): string {
  if (value === '' || NEEDS_NO_ESCAPE.test(value)) return value;
  return JSON.stringify(value)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
