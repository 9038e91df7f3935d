/** Topics whose events are plain texts: with `publishEncoded` a test chooses the key of each. */
import { type Topic, type TopicName, UnreadableMessage } from '@waypost/domain';
import type { BusHandler } from '@waypost/ports';

/** The only text that they cannot decode. */
export const UNREADABLE = 'unreadable ü\u0000\n';

const texts = (name: TopicName): Topic<string> => ({
  name,
  key: (text) => text,
  encode: (text) => text,
  decode(text) {
    if (text === UNREADABLE) throw new UnreadableMessage('cannot be read');
    return text;
  },
});

export const TEXTS = { links: texts('links'), verdicts: texts('verdicts'), clicks: texts('clicks') };

/** A handler that adds what it is delivered to `seen`. */
export const into =
  (seen: string[]): BusHandler<string> =>
  async (deliveries) =>
    void seen.push(...deliveries.map(({ event }) => event));
