/** Prompts are tasks that a person chooses in a client. Each is written as a message to the model. */
import { DEFAULT_PERIOD, PERIODS, type Scope } from '@waypost/domain';

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface Prompt {
  readonly scope: Scope;
  readonly listed: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly arguments: Argument[];
  };
  text(input: Readonly<Record<string, string>>): string;
}

export const PROMPTS: readonly Prompt[] = [
  {
    scope: 'write',
    listed: {
      name: 'shorten_text',
      title: 'Shorten the links of a text',
      description: 'Gives the text back with a short link in place of each address.',
      arguments: [
        { name: 'text', description: 'The text.', required: true },
        { name: 'tag', description: 'A tag for the new links.', required: false },
      ],
    },
    text: ({ text, tag }) =>
      `Make one short link for each different web address in the text below${tag === undefined ? '' : `, with the tag "${tag}"`}: all of them with one call of bulk_create_links. Give me the text back with the short URLs in place of the addresses, and nothing else changed. Then name each link that was flagged, and why: it does not redirect.\n\n${text}`,
  },
  {
    scope: 'read',
    listed: {
      name: 'report_on_link',
      title: 'Report on a link',
      description: 'Says how a link does: clicks, visitors, where from, and what is worth a second look.',
      arguments: [
        { name: 'slug', description: 'The slug of the link.', required: true },
        { name: 'period', description: `One of ${Object.keys(PERIODS).join(', ')}.`, required: false },
      ],
    },
    text: ({ slug, period = DEFAULT_PERIOD }) =>
      `Read the link waypost://links/${slug} and its analytics for ${period}, with bots and without (get_analytics). Report in a few sentences: clicks and visitors, the trend, the main referrers, countries and devices, the share of bots. If the link is flagged or revoked, say so first.`,
  },
];
