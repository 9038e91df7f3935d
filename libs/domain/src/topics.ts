/** All events on the bus, versioned; `deploy/asyncapi.yaml` describes them for others. */
import { count, dateTime, either, listOf, matching, objectOf, oneOf, text, textOf } from './checks.ts';
import { LINK_STATUSES, type LinkStatus } from './link.ts';
import { isThreatType, type Reason, type ThreatType } from './threat.ts';
import { TOPICS, topic } from './topic.ts';

const SLUG = '[A-Za-z0-9_-]{1,50}';
const slug = matching(new RegExp(`^${SLUG}$`));

/** Topic `links`. Published exactly when the change was committed (outbox), in order per slug. */
export interface LinkEvent {
  readonly v: 1;
  /** `link.reported` changes nothing: a visitor reported the link, which is as its last change left it. */
  readonly type: 'link.created' | 'link.revoked' | 'link.flagged' | 'link.cleared' | 'link.reported';
  readonly slug: string;
  readonly destination_url: string;
  readonly status: LinkStatus;
  readonly threat_type: ThreatType | null;
  /** The link's version after the change: with the slug, the identity of the event. */
  readonly version: number;
  readonly scan_generation: string;
  /** Present while a deep scan is due. */
  readonly deep_scan?: 'queued';
  readonly at: string;
}

export const LINKS = topic<LinkEvent>({
  name: TOPICS.links,
  key: (event) => event.slug,
  // A destination has at most 2,048 bytes, and the other fields are small.
  longest: 16_384,
  fields: {
    v: oneOf(1),
    type: oneOf('link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.reported'),
    slug,
    destination_url: text,
    status: oneOf(...LINK_STATUSES),
    threat_type: either(isThreatType, oneOf(null)),
    version: count,
    scan_generation: text,
    deep_scan: oneOf('queued', undefined),
    at: dateTime,
  },
});

/** Topic `verdicts`. A later scan of an existing link; link-api decides what to do. */
export interface VerdictEvent {
  readonly v: 1;
  /**
   * `threat.gone`: the scan finds nothing any more, and the sources that `reasons` names have not listed it for long.
   * `deep_scan.done`: it ended; a threat that it found came as `threat.found` before.
   */
  readonly type: 'threat.found' | 'threat.gone' | 'deep_scan.done';
  readonly slug: string;
  readonly destination_url: string;
  readonly threat_type: ThreatType;
  readonly reasons: readonly Reason[];
  /** Of a deep scan. `clean`: its `threat_type` is what was suspected before. */
  readonly outcome?: 'clean' | 'warned' | 'flagged';
  /** Of a deep scan: visitors still see the preview page first, since it is not known where the link ends. */
  readonly preview_first?: boolean;
  readonly generation: string;
  readonly at: string;
}

export const VERDICTS = topic<VerdictEvent>({
  name: TOPICS.verdicts,
  key: (event) => event.slug,
  fields: {
    v: oneOf(1),
    type: oneOf('threat.found', 'threat.gone', 'deep_scan.done'),
    slug,
    destination_url: text,
    threat_type: isThreatType,
    reasons: listOf(
      objectOf<Reason>({ rule: text, evidence: text, threat_type: either(isThreatType, oneOf(undefined)) }),
    ),
    outcome: oneOf('clean', 'warned', 'flagged', undefined),
    preview_first: oneOf(true, false, undefined),
    generation: text,
    at: dateTime,
  },
});

/** Topic `clicks`: a GET that was answered with a redirect. It does not contain the visitor's address. */
export interface ClickEvent {
  readonly v: 2;
  readonly type: 'click.recorded';
  /** UUIDv7, made once in the redirector: the identity that makes retries and replays harmless. */
  readonly id: string;
  readonly slug: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** First 64 bits of HMAC-SHA-256(secret, slug + client address), 16 lower-case hex digits. */
  readonly visitor: string;
  /** The same by the secret of before its last rotation; absent once no figures reach back that far. */
  readonly previous_visitor?: string | undefined;
  /** ISO 3166-1 alpha-2, `ZZ` when unknown. */
  readonly country: string;
  /** The User-Agent header, at most 512 characters; hostile text. */
  readonly user_agent: string;
  /** Scheme and host of the Referer header, at most 512 characters; hostile text. */
  readonly referrer: string;
}

const CLICK_ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const VISITOR = '[0-9a-f]{16}';
const COUNTRY = '[A-Z]{2}';
const TEXT_MAX = 512;
const visitorHash = matching(new RegExp(`^${VISITOR}$`));

const TO_ID = '"v":2,"type":"click.recorded","id":"';
/** The start of every encoded click. */
const CLICK_HEAD = `{${TO_ID}`;
const ID_END = CLICK_HEAD.length + 36;

export const CLICKS = topic<ClickEvent>({
  name: TOPICS.clicks,
  // A slug as the key would make a hot partition.
  key: (event) => event.id,
  hasLines: true,
  // Two texts of 512 characters, each at most six bytes when escaped, and some 300 bytes.
  longest: 8_192,
  fields: {
    v: oneOf(2),
    type: oneOf('click.recorded'),
    id: matching(new RegExp(`^${CLICK_ID}$`)),
    slug,
    at: count,
    visitor: visitorHash,
    previous_visitor: either(visitorHash, oneOf(undefined)),
    country: matching(new RegExp(`^${COUNTRY}$`)),
    user_agent: textOf(0, TEXT_MAX),
    referrer: textOf(0, TEXT_MAX),
  },
  /** One line of ASCII. Hand-written, since each redirect pays for it. */
  encode: ({ id, slug, at, visitor, previous_visitor: previous, country, user_agent, referrer }) => {
    const visitors = previous === undefined ? visitor : `${visitor}","previous_visitor":"${previous}`;
    return `${CLICK_HEAD}${id}","slug":"${slug}","at":${at},"visitor":"${visitors}","country":"${country}","user_agent":"${jsonText(user_agent)}","referrer":"${jsonText(referrer)}"}`;
  },
  readEncoded: writtenClick,
});

/** Characters that JSON does not escape. */
const PLAIN = '[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*';
/** A click as `CLICKS` encodes it, without characters that need an escape: almost all. */
const WRITTEN = new RegExp(
  `^\\{${TO_ID}(${CLICK_ID})","slug":"(${SLUG})","at":([1-9][0-9]{0,14}),"visitor":"(${VISITOR})",` +
    `(?:"previous_visitor":"(${VISITOR})",)?"country":"(${COUNTRY})",` +
    `"user_agent":"(${PLAIN})","referrer":"(${PLAIN})"\\}$`,
);
/** V8 copies shorter parts of a text. A longer one is a reference to the text, and keeps all of it in memory. */
const COPIED = 13;

/** One expression reads and checks all fields in a third of the time that JSON and a check for each take. */
function writtenClick(line: string): ClickEvent | undefined {
  const [, id, slug, at, visitor, previous, country, user_agent, referrer] = WRITTEN.exec(line) ?? [];
  if (id === undefined || user_agent!.length > TEXT_MAX || referrer!.length > TEXT_MAX) return undefined;
  return {
    v: 2,
    type: 'click.recorded',
    id,
    // Who remembers links by their slugs must not remember whole messages.
    slug: slug!.length < COPIED ? slug! : (JSON.parse(`"${slug}"`) as string),
    at: Number(at),
    visitor: visitor!,
    ...(previous !== undefined && { previous_visitor: previous }),
    country: country!,
    user_agent: user_agent!,
    referrer: referrer!,
  };
}

/** The id of an encoded click, without decoding it. */
export const clickIdOf = (line: string): string => line.slice(CLICK_HEAD.length, ID_END);

const NEEDS_NO_ESCAPE = new RegExp(`^${PLAIN}$`);

/** The inside of a JSON string, in ASCII. */
function jsonText(value: string): string {
  if (value === '' || NEEDS_NO_ESCAPE.test(value)) return value;
  return JSON.stringify(value)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
