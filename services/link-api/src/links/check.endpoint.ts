import { LIMITS, type Verdict, verdictMessage } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, nullable, oneOf } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { READS } from '../platform/limits.ts';
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
  concurrency: READS,
  summary: 'Check a URL',
  description:
    'Scans a URL and returns the verdict with its reasons. The check creates nothing, does not count against the quota, and does not visit the URL. A clean verdict is no guarantee that the URL is safe.',
  body: input(
    {
      url: Joi.string().max(LONGEST).description('The URL to check.').example('https://www.wikipedia.org/'),
    },
    'UrlToCheck',
    'The URL to check.',
  ),
  examples: { URL: { url: 'https://account-check.example.net/' } },
  answers: {
    200: {
      means: 'The verdict. A URL that no link may have also gets one: `refused`.',
      schema: named('UrlCheck', 'The verdict on a URL.', {
        url: Joi.string(),
        outcome: oneOf(['clean', 'warned', 'flagged', 'refused']).description(
          'The outcome of the scan. A link to a `clean` or `warned` URL redirects, and to a `flagged` one does not. A link to a `refused` URL cannot be created.',
        ),
        threat_type: nullable(Joi.string()).description(
          'The suspected threat, or null. New values may be added: accept unknown ones.',
        ),
        message: Joi.string().description('An explanation of the verdict, for people.'),
        reasons: reasonList.description(
          'The reasons of the verdict: each names a threat feed (`feed:…`) or a rule, and what it matched.',
        ),
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
  errors: [wrong('Missing field', { url: 'is required' }), DRY_RUNS_EXCEEDED],
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
