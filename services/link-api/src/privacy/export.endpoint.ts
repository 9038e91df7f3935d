import { AUDIT_ACTIONS, accountGone, SLUG_SHAPE } from '@waypost/domain';
import Joi from 'joi';
import {
  ACCOUNT,
  accountDetails,
  DEVICE,
  deviceBody,
  IDENTITY,
  identityBody,
  PASSKEY,
  passkeyBody,
  presentAccount,
  SESSION,
  sessionBody,
} from '../accounts/index.ts';
import { presentCredentials } from '../credentials/index.ts';
import { KEY, keyBody } from '../keys/index.ts';
import { LINK_EXAMPLE, type LinkPlace, linkBody, presentLink } from '../links/index.ts';
import { CASE, caseBody, presentCase } from '../moderation/index.ts';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, optional, problem, text, time } from '../platform/fields.ts';
import { WEBHOOK, webhookBody } from '../webhooks/index.ts';
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

const personBody = named('PersonalRecords', 'What is stored about you, but for your links. No secret is in it.', {
  account: accountDetails,
  keys: list(keyBody),
  passkeys: list(passkeyBody),
  identities: list(identityBody).description('What you sign in with at a provider.'),
  sessions: list(sessionBody),
  devices: list(deviceBody),
  webhooks: list(webhookBody),
  cases: list(caseBody).description('What you asked us to review; the newest 1,000.'),
  audit: list(
    object({
      at: time,
      actor: oneOf(['you', 'administrator', 'operator', 'somebody']),
      action: oneOf(AUDIT_ACTIONS).description('Accept values that you do not know.'),
      subject: Joi.string(),
      detail: Joi.string(),
    }),
  ).description('What you did, and what happened to your account, keys and links; the newest 1,000.'),
});

export const exportAccountEndpoint = endpoint({
  id: 'exportAccount',
  method: 'GET',
  path: '/account/export',
  scope: 'read',
  session: 'or_admin_key',
  share: 'reads',
  summary: 'Export what is stored about you',
  description:
    'Everything about you is on the first page, and all your links are on it and those that `next` leads to, oldest first. `waypost export` has the clicks of your links, by day.',
  query: {
    after: optional(
      text
        .max(75)
        .custom((value: string, helpers) =>
          PLACE.test(value) ? value : problem(helpers, 'must be `next` of the page before'),
        ),
    )
      .meta({ pattern: PLACE.source })
      .description('`next` of the page before.')
      .example('2026-11-21T09:30:00.000Z_aB3dE6g'),
  },
  answers: {
    200: {
      means: 'A page of it.',
      schema: named('AccountExport', 'A page of what is stored about you.', {
        person: nullable(personBody).description('Null on later pages.'),
        links: list(linkBody),
        next: nullable(Joi.string()).description('`after` of the next page; null: this is the last.'),
      }),
      examples: {
        'The only page': {
          person: {
            account: ACCOUNT,
            keys: [{ ...KEY, last_used_at: null }],
            passkeys: [PASSKEY],
            identities: [IDENTITY],
            sessions: [SESSION],
            devices: [DEVICE],
            webhooks: [WEBHOOK],
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
  handle: async ({ caller: { accountId }, query: { after } }, deps: PrivacyPorts) => {
    const place = after === undefined ? undefined : placeOf(after);
    const person = place === undefined ? await personOf(accountId, deps) : null;
    const linkRows = await deps.links.oldest(accountId, place, LINKS_ON_A_PAGE + 1);
    const links = linkRows.slice(0, LINKS_ON_A_PAGE);
    const last = links.at(-1);
    const next = linkRows.length > links.length && last !== undefined ? placeText(last) : null;
    return { person, links: links.map(presentLink), next };
  },
});

async function personOf(accountId: string, deps: PrivacyPorts) {
  const account = await deps.accounts.find(accountId);
  if (account === undefined) throw accountGone();
  const { email: _email, has_password: _hasPassword, ...credentials } = await presentCredentials(deps, accountId);
  const cases = await deps.cases.list({ accountId, limit: ENTRIES_MAX });
  const audit = await deps.audit.about(accountId, ENTRIES_MAX);
  return {
    account: presentAccount(account),
    ...credentials,
    cases: cases.map((row) => presentCase(row, deps.baseUrl)),
    audit: audit.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })),
  };
}
