/** Topics with plain texts as events. A test chooses each key with `publishEncoded`. */
import { type Topic, type TopicName, UnreadableMessage } from '@waypost/domain';
import type { BusHandler } from '@waypost/ports';

/** The decoder of these topics rejects this text, and no other. */
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

export const into =
  (seen: string[]): BusHandler<string> =>
  async (deliveries) =>
    void seen.push(...deliveries.map(({ event }) => event));
