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
      title: 'Shorten the links in a text',
      description: 'Replaces each URL in a text with a short URL.',
      arguments: [
        { name: 'text', description: 'The text that contains the URLs.', required: true },
        { name: 'tag', description: 'A tag for the created links.', required: false },
      ],
    },
    text: ({ text, tag }) =>
      `Create one short link for each different URL in the text below${tag === undefined ? '' : `, with the tag "${tag}"`}. Use a single call of bulk_create_links. Return the text with each URL replaced by its short URL, and change nothing else. Then list each flagged link with its reason, since a flagged link does not redirect.\n\n${text}`,
  },
  {
    scope: 'read',
    listed: {
      name: 'report_on_link',
      title: 'Summarize the performance of a link',
      description: 'Summarizes the clicks, visitors and sources of a link, and points out anything unusual.',
      arguments: [
        { name: 'slug', description: 'The slug of the link.', required: true },
        { name: 'period', description: `The period: one of ${Object.keys(PERIODS).join(', ')}.`, required: false },
      ],
    },
    text: ({ slug, period = DEFAULT_PERIOD }) =>
      `Read the link waypost://links/${slug}. Then call get_analytics for ${period} twice, with and without bots. In a few sentences, report clicks and visitors, the trend, the main referrers, countries and devices, and the share of bots. If the link is flagged or revoked, say so first.`,
  },
];
