import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import type { AccountCredentials, AccountDetails, AuditQuery } from '@waypost/sdk';
import { accountsUpTo, entriesUpTo } from '../long-lists.ts';
import { addCommand, addDeclared, addGroup, fieldsOf, value } from '../program.ts';
import { Ended, type Session } from '../session.ts';
import { showCreatedKey, showDeletedKey, showKeys, showLink } from '../show.ts';
import {
  showAccounts,
  showAudit,
  showCase,
  showCaseCount,
  showCases,
  showCreatedAccount,
  showCredentials,
  showDeletedAccount,
  showFeeds,
  showInspected,
  showLimit,
  showReadiness,
  showSuspension,
} from '../show-administration.ts';
import { timeOf } from '../time.ts';
import { confirmed, YES } from './confirm.ts';
import { EXPIRES, newKeyOf, SCOPES } from './new-key.ts';
import { slugOf } from './slug.ts';

const FOR_OPERATORS = [
  'Operator commands. They run where Waypost runs, use its socket, and need no API key.',
  `
With --url or --profile, these commands use the API instead, with a key that has the scope admin
(docs/cli.md).`,
] as const;

const FOR_ADMINISTRATORS = [
  "Administer Waypost over the API. Requires an administrator's key with the scope admin.",
  `
Where Waypost runs, "waypost admin" offers the operator commands instead. They need no key and
include more, such as doctor, backup and import-feed. To run them in a clone:
"npm run -s waypost -- admin". There, --url or --profile selects the API.`,
] as const;

export function addAdmin(program: Command, session: Session): Command {
  const [description, more] = session.isOperator ? FOR_OPERATORS : FOR_ADMINISTRATORS;
  const admin = addGroup(program, 'admin', description).addHelpText('after', more);
  addAccounts(admin, session);
  addCredentials(admin, session);
  addLinks(admin, session);
  addCases(admin, session);
  addAudit(admin, session);
  // Where Waypost runs, the scanner lists its feeds, and doctor looks at everything.
  if (!session.isOperator) addState(admin, session);
  return admin;
}

function addAccounts(admin: Command, { connect, print, isOperator, terminal }: Session): void {
  addDeclared(admin, 'listAccounts').action(async (options) => {
    const { accounts } = connect(options).admin;
    const query = fieldsOf('listAccounts', options);
    const page = isOperator && query.limit === undefined ? accountsUpTo(1_000, accounts, query) : accounts(query);
    print(options, await page, showAccounts, ({ data }) =>
      data.map(({ suspension_reason: _reason, ...account }) => account),
    );
  });

  addDeclared(admin, 'createAccount', 'sign_in_link', 'password')
    .option('--password-stdin', 'Read a password for the account from stdin.')
    .action(async (options) => {
      const read = async () =>
        Buffer.from(await terminal.readStdin())
          .toString()
          .replace(/\r?\n$/, '');
      const account = {
        ...fieldsOf('createAccount', options),
        sign_in_link: true,
        ...(options.passwordStdin && { password: await read() }),
      };
      const created = await connect(options).admin.createAccount(account);
      print(options, created, showCreatedAccount, ({ expires_at: _ofTheLink, ...shown }) => shown);
    });

  const suspension = ({ email, suspended_at }: AccountDetails) => ({ email, suspended_at });
  addDeclared(admin, 'suspendAccount')
    .option('--lift', 'Lift the suspension, like resume-account.')
    .addOption(YES())
    .action(async (options) => {
      const { email, reason, lift, yes } = options;
      if (lift && reason !== undefined) throw new UsageError('Give --reason or --lift, not both.');
      const api = connect(options).admin;
      if (!lift) await confirmed(terminal, yes, `Suspend ${email}?`, 'Nobody was suspended.');
      print(options, await (lift ? api.resume(email) : api.suspend(email, reason)), showSuspension, suspension);
    });

  addDeclared(admin, 'resumeAccount').action(async (options) => {
    print(options, await connect(options).admin.resume(options.email), showSuspension, suspension);
  });

  addDeclared(admin, 'deleteAnyAccount')
    .addOption(YES())
    .action(async (options) => {
      const { email, yes } = options;
      if (isOperator && !yes) throw new Error(`This permanently deletes ${email}. Confirm with --yes.`);
      const api = connect(options).admin;
      await confirmed(
        terminal,
        yes,
        `Permanently delete ${email}, its keys, links and clicks?`,
        'Nothing was deleted.',
      );
      print(options, await api.deleteAccount(email), showDeletedAccount);
    });

  addDeclared(admin, 'setLimit', 'creations_per_hour')
    .addOption(
      value(
        '--creations-per-hour <N>',
        'Links per hour, 0 or greater; "default" for the default of this Waypost.',
      ).makeOptionMandatory(),
    )
    .action(async (options) => {
      const { email, creationsPerHour } = options;
      if (!/^(\d{1,10}|default)$/.test(creationsPerHour))
        throw new UsageError('--creations-per-hour must be a whole number or "default".');
      const perHour = creationsPerHour === 'default' ? null : Number(creationsPerHour);
      print(options, await connect(options).admin.setLimit(email, perHour), showLimit);
    });
}

function addCredentials(admin: Command, { connect, print, terminal }: Session): void {
  addDeclared(admin, 'getAccountCredentials').action(async (options) => {
    print(options, await connect(options).admin.credentials(options.email), showCredentials);
  });

  addDeclared(admin, 'secureAnyAccount')
    .option('--all', 'Remove all passkeys, identities, keys and webhooks.')
    .addOption(YES())
    .action(async (options) => {
      const { email, remove: named, ...removals } = fieldsOf('secureAnyAccount', options);
      if (options.all && named !== undefined) throw new UsageError('Give --remove or --all, not both.');
      const api = connect(options).admin;
      await confirmed(
        terminal,
        options.yes,
        `End all sessions of ${email} and remove the selected credentials?`,
        'Nothing was changed.',
      );
      const remove = options.all
        ? idsIn(await api.credentials(email))
        : named?.flatMap((ids) => ids.split(',').map((id) => id.trim()));
      print(options, await api.secure(email, { ...removals, ...(remove && { remove }) }), showCredentials);
    });

  addDeclared(admin, 'listAccountKeys').action(async (options) => {
    print(options, await connect(options).admin.keys(options.email), showKeys, ({ data }) =>
      data.map(({ hint: _hint, ...key }) => key),
    );
  });

  addDeclared(admin, 'createAccountKey', 'scopes', 'expires_at')
    .addOption(SCOPES())
    .addOption(EXPIRES())
    .action(async (options) => {
      const { email, ...fields } = fieldsOf('createAccountKey', options);
      const created = await connect(options).admin.createKey(email, newKeyOf(fields, options));
      print(options, created, showCreatedKey, ({ id, name, scopes, key, created_at, expires_at }) => ({
        ...{ id, name, scopes, key, created_at },
        ...(expires_at !== null && { expires_at }),
      }));
    });

  addDeclared(admin, 'deleteAnyKey')
    .addOption(YES())
    .action(async (options) => {
      const { id, webhooks, yes } = options;
      const api = connect(options).admin;
      await confirmed(terminal, yes, `Delete the key ${id}?`, 'Nothing was deleted.');
      print(options, await api.deleteKey(id, { webhooks }), showDeletedKey);
    });
}

const idsIn = ({ passkeys, identities, keys, webhooks }: AccountCredentials) =>
  [...passkeys, ...identities, ...keys, ...webhooks].map(({ id }) => id);

function addLinks(admin: Command, { connect, print, terminal }: Session): void {
  addDeclared(admin, 'inspectLink').action(async (options) => {
    print(options, await connect(options).admin.link(slugOf(options.slug)), showInspected);
  });

  addDeclared(admin, 'takeDownLink')
    .addOption(YES())
    .action(async (options) => {
      const { slug, ...body } = fieldsOf('takeDownLink', options);
      const api = connect(options).admin;
      await confirmed(terminal, options.yes, `Take ${slugOf(slug)} down?`, 'Nothing was taken down.');
      print(options, await api.takeDown(slug, body), showLink);
    });

  addDeclared(admin, 'takeDownHost', 'after')
    .addOption(YES())
    .action(async (options) => {
      const { slug: text, ...body } = fieldsOf('takeDownHost', options);
      const slug = slugOf(text);
      const api = connect(options).admin;
      const { owner, host, count } = await api.linksToHost(slug);
      const question = `Take ${count} ${count === 1 ? 'link' : 'links'} of ${owner} to ${host} down?`;
      await confirmed(terminal, options.yes, question, 'Nothing was taken down.');
      const taken_down = await api.takeDownHost(slug, body);
      print(
        options,
        { owner, host, taken_down },
        () => `Links taken down: ${taken_down}. Only a review can clear them.`,
      );
    });

  addDeclared(admin, 'reviewLink').action(async (options) => {
    const { slug, ...body } = fieldsOf('reviewLink', options);
    print(options, await connect(options).admin.review(slugOf(slug), body), showLink);
  });
}

function addCases(admin: Command, { connect, print, terminal }: Session): void {
  addDeclared(admin, 'listCases').action(async (options) => {
    print(options, await connect(options).admin.cases(fieldsOf('listCases', options)), showCases);
  });

  addDeclared(admin, 'countCases').action(async (options) => {
    print(options, await connect(options).admin.caseCount(), showCaseCount);
  });

  addDeclared(admin, 'decideCase')
    .addOption(YES())
    .action(async (options) => {
      const { number, ...body } = fieldsOf('decideCase', options);
      const api = connect(options).admin;
      await confirmed(
        terminal,
        options.yes,
        `Permanently decide ${number} as ${body.decision}?`,
        'Nothing was decided.',
      );
      print(options, await api.decide(number, body), showCase);
    });
}

function addAudit(admin: Command, { connect, print, isOperator }: Session): void {
  addDeclared(admin, 'listAudit', 'since', 'action')
    .addOption(value('--since <T>', 'Only entries since then: a duration back from now (7d), or a UTC date.'))
    .addOption(value('--action <A>', 'Only entries with this action, such as account.suspended.'))
    .action(async (options) => {
      const { since, action } = options;
      const query: AuditQuery = {
        ...fieldsOf('listAudit', options),
        since: since === undefined ? undefined : timeOf('--since', since, -1),
        // The API refuses an unknown action, so any text is passed on.
        action: action as AuditQuery['action'],
      };
      const { audit: read } = connect(options).admin;
      const page = isOperator ? entriesUpTo(query.limit ?? 1_000, read, query) : read(query);
      print(options, await page, showAudit, ({ data }) =>
        data.map(({ at, actor, action, subject, outcome, detail }) => ({
          ...{ at, actor, action, subject },
          detail: outcome === 'refused' ? `refused: ${detail}` : detail,
        })),
      );
    });
}

function addState(admin: Command, { connect, print }: Session): void {
  addDeclared(admin, 'listFeeds').action(async (options) => {
    print(options, await connect(options).admin.feeds(), showFeeds);
  });

  addCommand(admin, 'health', 'Check whether Waypost is ready, and the state of each dependency.', [
    'waypost admin health || echo "not ready"',
  ]).action(async (options) => {
    const readiness = await connect(options).readiness();
    print(options, readiness, showReadiness);
    if (readiness.status !== 'ready') throw new Ended(6);
  });
}
