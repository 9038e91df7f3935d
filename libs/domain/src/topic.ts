import { type Check, type Checks, isObject } from './checks.ts';

export const TOPICS = { links: 'links', verdicts: 'verdicts', clicks: 'clicks' } as const;
export type TopicName = (typeof TOPICS)[keyof typeof TOPICS];

export interface Topic<Event> {
  readonly name: TopicName;
  /** Events with the same key arrive in order. */
  readonly key: (event: Event) => string;
  readonly encode: (event: Event) => string;
  /** Throws `UnreadableMessage`. Ignores unknown fields, because a later version may add them. */
  readonly decode: (value: string) => Event;
  /** If true, a message may have several events, one per line. The key is a UUID, which gives the event's trace. */
  readonly hasLines?: boolean;
}

/** The message can never be decoded. It is dead-lettered with this error, and the consumer continues. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';
}

type Data = Readonly<Record<string, unknown>>;

interface Definition<Event>
  extends Pick<Topic<Event>, 'name' | 'key' | 'hasLines'>,
    Partial<Pick<Topic<Event>, 'encode'>> {
  readonly fields: Checks<Event>;
  /** The maximum length in UTF-16 units. Longer messages are refused before they are parsed. */
  readonly longest?: number;
  /** A faster reader for events exactly as `encode` writes them. Returns undefined for any other text. */
  readonly readEncoded?: (value: string) => Event | undefined;
}

export function topic<Event extends object>(definition: Definition<Event>): Topic<Event> {
  const {
    name,
    key,
    fields,
    longest = Number.POSITIVE_INFINITY,
    readEncoded,
    encode = JSON.stringify,
    hasLines = false,
  } = definition;
  const checks = Object.entries<Check<unknown>>(fields);

  function assertEvent(data: Data): asserts data is Data & Event {
    for (const [field, isRight] of checks) {
      if (!isRight(data[field])) throw new UnreadableMessage(`${field} is missing or wrong`);
    }
  }

  return {
    name,
    key,
    encode,
    hasLines,
    decode(value) {
      if (value.length > longest) throw new UnreadableMessage(`longer than ${longest} characters`);
      const event = readEncoded?.(value);
      if (event !== undefined) return event;
      const data = parse(value);
      assertEvent(data);
      return data;
    },
  };
}

function parse(value: string): Data {
  let data: unknown;
  try {
    data = JSON.parse(value);
  } catch (cause) {
    throw new UnreadableMessage('not JSON', { cause });
  }
  if (!isObject(data)) throw new UnreadableMessage('not an object');
  return data;
}
