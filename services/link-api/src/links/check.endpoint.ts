import { LIMITS, type Verdict, verdictMessage } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, nullable, oneOf } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { DRY_RUNS_EXCEEDED } from './creation.endpoint.ts';
import { presentReasons, reasonList, VERDICT } from './verdicts.schema.ts';

/** A text that is longer than any destination is still checked, up to this length, and refused in words. */
const LONGEST = 4 * LIMITS.destinationUrlBytes;

export const checkUrlEndpoint = endpoint({
  id: 'checkUrl',
  method: 'POST',
  path: '/check',
  scope: 'read',
  share: 'reads',
  summary: 'Check an address',
  description:
    'Says what a scan finds about any address, and why, before you share it or make a link to it. Nothing is made, spent, stored or visited: the scan knows threat lists and rules alone, and `clean` is no promise.',
  body: input(
    {
      url: Joi.string()
        .max(LONGEST)
        .description('The address, as one would send it as `destination_url`.')
        .example('https://www.wikipedia.org/'),
    },
    'UrlToCheck',
    'An address to check.',
  ),
  examples: { 'An address': { url: 'https://account-check.example.net/' } },
  answers: {
    200: {
      means: 'The verdict, also for an address that no link may have.',
      schema: named('UrlCheck', 'What a scan finds about an address.', {
        url: Joi.string().description('As it was sent.'),
        outcome: oneOf(['clean', 'warned', 'flagged', 'refused']).description(
          'What a link to it would be. `clean` and `warned`: active. `flagged`: made, but without a redirect. `refused`: not made.',
        ),
        threat_type: nullable(Joi.string()).description(
          'What it is suspected of, as in a link; null if it is `clean` or `refused`. Accept values that you do not know.',
        ),
        message: Joi.string().description('The verdict in words, for a person to read.'),
        reasons: reasonList.description('Why, if it is not clean: a feed (`feed:…`) or a rule, and what it matched.'),
        generation: Joi.string().description('Of the threat database.'),
      }),
      examples: {
        Flagged: example('https://account-check.example.net/', VERDICT),
        Clean: example('https://www.wikipedia.org/', { outcome: 'clean', threat_type: null, reasons: [] }),
        Refused: example('http://192.168.0.1/', {
          outcome: 'refused',
          threat_type: null,
          reasons: [{ rule: 'url-policy', evidence: 'must not lead to a private or reserved IP address' }],
        }),
      },
    },
  },
  errors: [wrong('A missing field', { url: 'is required' }), DRY_RUNS_EXCEEDED],
  cli: 'waypost check https://www.wikipedia.org/',
  handle: async ({ caller, body: { url } }, deps) => {
    deps.spendDryRunRows(caller.accountId, 1);
    const { generation, verdicts } = await deps.scanner.scan([url]);
    return presentCheck(verdicts[0]!, generation);
  },
});

function presentCheck({ url, ...verdict }: Verdict, generation: string) {
  const { outcome, threat_type, reasons } = verdict;
  return {
    url,
    outcome,
    threat_type,
    message: verdictMessage(verdict),
    reasons: presentReasons(reasons),
    generation,
  };
}

function example(url: string, verdict: Omit<Verdict, 'url'>) {
  return presentCheck({ url, ...verdict }, VERDICT.generation);
}
