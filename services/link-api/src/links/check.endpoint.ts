import { LIMITS, type Verdict, verdictMessage } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, nullable, oneOf } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { DRY_RUNS_EXCEEDED } from './creation.endpoint.ts';
import type { LinksPorts } from './ports.ts';
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
    'Says what a scan finds about an address, and why, before anybody shares it. Nothing is stored, spent or visited, and `clean` is no promise.',
  body: input(
    {
      url: Joi.string().max(LONGEST).description('The address.').example('https://www.wikipedia.org/'),
    },
    'UrlToCheck',
    'An address to check.',
  ),
  examples: { 'An address': { url: 'https://account-check.example.net/' } },
  answers: {
    200: {
      means: 'The verdict, also for an address that no link may have.',
      schema: named('UrlCheck', 'What a scan finds about an address.', {
        url: Joi.string(),
        outcome: oneOf(['clean', 'warned', 'flagged', 'refused']).description(
          'Of a link to it: `clean` and `warned` redirect, `flagged` does not, `refused` cannot be made.',
        ),
        threat_type: nullable(Joi.string()).description('What it is suspected of. Accept values that you do not know.'),
        message: Joi.string().description('For a person to read.'),
        reasons: reasonList.description('A feed (`feed:…`) or a rule, and what it matched.'),
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
  handle: async ({ caller, body: { url } }, deps: LinksPorts) => {
    deps.spendDryRunRows(caller.accountId, 1);
    const { verdicts } = await deps.scanner.scan([url]);
    return presentCheck(verdicts[0]!);
  },
});

function presentCheck({ url, ...verdict }: Verdict) {
  const { outcome, threat_type, reasons } = verdict;
  return {
    url,
    outcome,
    threat_type,
    message: verdictMessage(verdict),
    reasons: presentReasons(reasons),
  };
}

function example(url: string, verdict: Omit<Verdict, 'url'>) {
  return presentCheck({ url, ...verdict });
}
