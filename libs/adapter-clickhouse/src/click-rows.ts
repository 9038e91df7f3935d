import { DEVICES, type EnrichedClick } from '@waypost/domain';

/**
 * Clicks as a block of ClickHouse's Native format: column after column, as the table keeps them, so that the engine
 * parses no text. Strings may be any JavaScript text; half a surrogate pair becomes the replacement character.
 *
 * Throws for a click that the table cannot hold: nothing in a block would tell the engine.
 */
export function clickRows(clicks: readonly EnrichedClick[]): Buffer {
  const block = new Block(clicks);
  block.count(COLUMNS.length);
  block.count(clicks.length);
  for (const { name, type, write } of COLUMNS) {
    block.text(name);
    block.text(type);
    for (const click of clicks) write(block, click);
  }
  return block.bytes();
}

interface Column {
  readonly name: string;
  /** That of the table, or one that the engine converts to it. */
  readonly type: string;
  readonly write: (block: Block, click: EnrichedClick) => void;
}

/** Of the `Enum8` of the table (`schema.ts`), which counts from 1 in the same order. */
const DEVICE_NUMBERS: ReadonlyMap<string, number> = new Map(DEVICES.map((device, index) => [device, index + 1]));

const COLUMNS: readonly Column[] = [
  { name: 'event_id', type: 'UUID', write: (block, { id }) => block.uuid(id) },
  { name: 'slug', type: 'String', write: (block, { slug }) => block.text(slug) },
  { name: 'clicked_at', type: "DateTime64(3, 'UTC')", write: (block, { at }) => block.time(at) },
  { name: 'visitor_hash', type: 'UInt64', write: (block, { visitor }) => block.hash(visitor) },
  {
    name: 'previous_visitor_hash',
    type: 'UInt64',
    write: (block, { previousVisitor }) => block.hash(previousVisitor ?? NO_HASH),
  },
  { name: 'country', type: 'FixedString(2)', write: (block, { country }) => block.country(country) },
  { name: 'referrer', type: 'String', write: (block, { referrer }) => block.text(referrer) },
  {
    name: 'device',
    type: 'Int8',
    write: (block, { device }) => block.byte(DEVICE_NUMBERS.get(device) ?? refuse('device', device)),
  },
  { name: 'browser', type: 'String', write: (block, { browser }) => block.text(browser) },
  { name: 'is_bot', type: 'Bool', write: (block, { isBot }) => block.byte(isBot ? 1 : 0) },
];

/** In the order of the block, for the statement. */
export const CLICK_COLUMNS: readonly string[] = COLUMNS.map(({ name }) => name);

const NO_HASH = '0'.repeat(16);
/** The end of the years that the column of times can tell apart. */
const TIMES_END = Date.UTC(2300, 0);
/** Of the names, types and counts, and of what a click has beside its texts. */
const HEAD_BYTES = 1_024;
const CLICK_BYTES = 64;
/** UTF-8 takes at most three bytes for a code unit. */
const UNIT_BYTES = 3;
const MAX_COUNT_BYTES = 5;
/** Shorter ASCII texts are written faster here than by a call into Node. */
const SHORT = 64;

/** The value of each hexadecimal digit, by its character code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return digit === -1 ? 0xff : digit;
});
/** Where the bytes of a UUID stand in its text, in the order of the engine: each half from its end. */
const UUID_PLACES = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19];

function refuse(field: string, value: unknown): never {
  throw new Error(`a click with ${field} ${JSON.stringify(value)} cannot be stored`);
}

class Block {
  readonly #bytes: Buffer;
  #end = 0;

  constructor(clicks: readonly EnrichedClick[]) {
    let units = 0;
    for (const { slug, referrer, browser } of clicks) units += slug.length + referrer.length + browser.length;
    const texts = UNIT_BYTES * units + 3 * MAX_COUNT_BYTES * clicks.length;
    this.#bytes = Buffer.allocUnsafe(HEAD_BYTES + CLICK_BYTES * clicks.length + texts);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  byte(value: number): void {
    this.#bytes[this.#end++] = value;
  }

  /** Seven bits a byte, the lowest first. */
  count(value: number): void {
    let left = value;
    for (; left >= 0x80; left >>>= 7) this.byte((left & 0x7f) | 0x80);
    this.byte(left);
  }

  text(text: string): void {
    if (text.length < SHORT && this.#ascii(text)) return;
    this.count(Buffer.byteLength(text));
    this.#end += this.#bytes.write(text, this.#end);
  }

  /** Whether it was. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#end + 1;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[start + i] = code;
    }
    bytes[this.#end] = text.length;
    this.#end = start + text.length;
    return true;
  }

  uuid(id: string): void {
    if (id.length !== 36) refuse('id', id);
    for (const place of UUID_PLACES) this.#hexByte('id', id, place);
  }

  hash(hash: string): void {
    if (hash.length !== 16) refuse('visitor hash', hash);
    for (let place = 14; place >= 0; place -= 2) this.#hexByte('visitor hash', hash, place);
  }

  #hexByte(field: string, text: string, place: number): void {
    const high = DIGITS[text.charCodeAt(place)] ?? 0xff;
    const low = DIGITS[text.charCodeAt(place + 1)] ?? 0xff;
    if (high === 0xff || low === 0xff) refuse(field, text);
    this.#bytes[this.#end++] = (high << 4) | low;
  }

  /** Milliseconds since 1970. */
  time(at: number): void {
    if (!Number.isInteger(at) || at < 0 || at >= TIMES_END) refuse('time', at);
    const low = at % 2 ** 32;
    this.#bytes.writeUInt32LE(low, this.#end);
    this.#bytes.writeUInt32LE((at - low) / 2 ** 32, this.#end + 4);
    this.#end += 8;
  }

  country(code: string): void {
    const [first, second] = [code.charCodeAt(0), code.charCodeAt(1)];
    if (code.length !== 2 || first > 0x7f || second > 0x7f) refuse('country', code);
    this.byte(first);
    this.byte(second);
  }
}
