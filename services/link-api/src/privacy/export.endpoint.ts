import { AUDIT_ACTIONS, accountGone, SLUG_SHAPE } from '@waypost/domain';
import Joi from 'joi';
import { ACCOUNT, accountDetails, presentAccount } from '../accounts/index.ts';
import { CREDENTIALS, credentialFields, presentCredentials } from '../credentials/index.ts';
import { LINK_EXAMPLE, type LinkPlace, linkBody, presentLink } from '../links/index.ts';
import { CASE, caseBody, presentCase } from '../moderation/index.ts';
import type { Caller } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, optional, problem, text, time } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import type { PrivacyPorts } from './ports.ts';

const LINKS_ON_A_PAGE = 1_000;
/** Of cases, and of entries of the audit log. */
const ENTRIES_MAX = 1_000;
/** PostgreSQL cannot store dates outside this range. */
const DAY = '[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z';
const PLACE = new RegExp(`^${DAY}T${CLOCK}_${SLUG_SHAPE}$`);
const placeText = ({ createdAt, slug }: LinkPlace) => `${createdAt.toISOString()}_${slug}`;
const placeOf = (text: string): LinkPlace => ({ createdAt: new Date(text.slice(0, 24)), slug: text.slice(25) });

const personBody = named(
  'PersonalRecords',
  'Everything that is stored about you except your links. It contains no secrets.',
  {
    account: accountDetails,
    ...credentialFields,
    cases: list(caseBody).description('The reviews that you requested. Maximum: the newest 1,000.'),
    audit: list(
      object({
        at: time,
        actor: oneOf(['you', 'administrator', 'operator', 'somebody']),
        action: oneOf(AUDIT_ACTIONS).description('The action. New values may be added: accept unknown ones.'),
        subject: Joi.string(),
        detail: Joi.string(),
      }),
    ).description('Your actions, and changes to your account, API keys and links. Maximum: the newest 1,000.'),
  },
);

export const exportAccountEndpoint = endpoint({
  id: 'exportAccount',
  method: 'GET',
  path: '/account/export',
  scope: 'read',
  session: 'or_admin_key',
  concurrency: READS,
  summary: 'Export your data',
  description:
    'Returns everything that is stored about you on the first page, and your links on all pages, oldest first. To export the daily clicks of your links, use `waypost export`.',
  query: {
    after: optional(
      text
        .max(75)
        .custom((value: string, helpers) =>
          PLACE.test(value) ? value : problem(helpers, 'must be the `next` of a previous page'),
        ),
    )
      .meta({ pattern: PLACE.source })
      .description('The cursor: `next` of the previous page.')
      .example('2026-11-21T09:30:00.000Z_aB3dE6g'),
  },
  answers: {
    200: {
      means: 'A page of your data.',
      schema: named('AccountExport', 'A page of your data.', {
        person: nullable(personBody).description('Everything except your links. Null on all pages but the first.'),
        links: list(linkBody),
        next: nullable(Joi.string()).description(
          'The cursor to pass as `after` for the next page. Null on the last page.',
        ),
      }),
      examples: {
        'Single page': {
          person: {
            account: ACCOUNT,
            ...CREDENTIALS,
            cases: [CASE],
            audit: [
              {
                at: ACCOUNT.created_at,
                actor: 'operator',
                action: 'account.created',
                subject: ACCOUNT.id,
                detail: '',
              },
            ],
          },
          links: [presentLink(LINK_EXAMPLE)],
          next: null,
        },
      },
    },
  },
  handle: async ({ caller, query: { after } }, deps: PrivacyPorts) => {
    const place = after === undefined ? undefined : placeOf(after);
    const person = place === undefined ? await personOf(caller, deps) : null;
    const linkRows = await deps.links.oldest(caller.accountId, place, LINKS_ON_A_PAGE + 1);
    const links = linkRows.slice(0, LINKS_ON_A_PAGE);
    const last = links.at(-1);
    const next = linkRows.length > links.length && last !== undefined ? placeText(last) : null;
    return { person, links: links.map(presentLink), next };
  },
});

async function personOf({ accountId, session }: Caller, deps: PrivacyPorts) {
  const account = await deps.accounts.find(accountId);
  if (account === undefined) throw accountGone();
  const {
    email: _email,
    has_password: _hasPassword,
    ...credentials
  } = await presentCredentials(deps, accountId, session?.tokenHash);
  const cases = await deps.cases.list({ accountId, limit: ENTRIES_MAX });
  const audit = await deps.audit.about(accountId, ENTRIES_MAX);
  return {
    account: presentAccount(account),
    ...credentials,
    cases: cases.map((row) => presentCase(row, deps.baseUrl)),
    audit: audit.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })),
  };
}
