import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import type { AuditQuery } from '@waypost/sdk';
import { addCommand, addFlags, fieldsOf, value } from '../program.ts';
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
import { confirmed, YES } from './confirm.ts';
import { EXPIRES, newKeyOf, SCOPES, timeOf } from './new-key.ts';
import { slugOf } from './slug.ts';

export function addAdmin(program: Command, session: Session): void {
  const admin = program
    .command('admin')
    .description("What administrators do, over the API: for a key with the scope admin, of an administrator's account.")
    .usage('COMMAND [options]')
    .addHelpText(
      'after',
      `
Where Waypost itself runs there are more, which need no key: the operator commands, such as doctor,
backup and import-feed. In a clone "npm run -s waypost -- admin" is those, in a container
"waypost admin". In a clone, --url or --profile makes it these.`,
    );
  addAccounts(admin, session);
  addAccountChanges(admin, session);
  addKeys(admin, session);
  addLinks(admin, session);
  addCases(admin, session);
  addRecords(admin, session);
}

function addAccounts(admin: Command, { connect, print }: Session): void {
  const list = addCommand(admin, 'list-accounts', 'The accounts, page by page, the newest first.', [
    'waypost admin list-accounts --search @example.org',
    'waypost admin list-accounts --status suspended --json',
  ]);
  addFlags(list, 'listAccounts').action(async (options) => {
    print(options, await connect(options).admin.accounts(fieldsOf('listAccounts', options)), showAccounts);
  });

  const create = addCommand(
    admin,
    'create-account',
    'Make an account, and a link to sign in to it: once, within an hour.',
    ['waypost admin create-account --email ada@example.org'],
  );
  addFlags(create, 'createAccount', 'sign_in_link').action(async (options) => {
    const account = { ...fieldsOf('createAccount', options), sign_in_link: true };
    print(options, await connect(options).admin.createAccount(account), showCreatedAccount);
  });
}

function addAccountChanges(admin: Command, { connect, print, terminal }: Session): void {
  const suspend = addCommand(
    admin,
    'suspend-account',
    'Refuse all keys and sessions of an account from the next request on. Its links stay as they are.',
    [
      'waypost admin suspend-account --email ada@example.org --reason "Its links lead to a scam."',
      'waypost admin suspend-account --email ada@example.org --lift',
    ],
  );
  addFlags(suspend, 'suspendAccount', 'reason')
    .addOption(value('--reason <R>', 'why; its owner reads it'))
    .option('--lift', 'end the suspension, as resume-account does')
    .addOption(YES())
    .action(async (options) => {
      const { email, reason, lift, yes } = options;
      if (lift ? reason !== undefined : reason === undefined)
        throw new UsageError('Give --reason, or --lift to end the suspension.');
      const api = connect(options).admin;
      if (!lift) await confirmed(terminal, yes, `Suspend ${email}?`, 'Nobody was suspended.');
      print(options, await (reason === undefined ? api.resume(email) : api.suspend(email, reason)), showSuspension);
    });

  const resume = addCommand(admin, 'resume-account', 'End the suspension of an account.', [
    'waypost admin resume-account --email ada@example.org',
  ]);
  addFlags(resume, 'resumeAccount').action(async (options) => {
    print(options, await connect(options).admin.resume(options.email), showSuspension);
  });

  const erase = addCommand(
    admin,
    'delete-account',
    'Delete an account with everything of it. Its links stop for good, their slugs stay reserved. Nobody can undo it.',
    ['waypost admin delete-account --email ada@example.org'],
  );
  addFlags(erase, 'deleteAnyAccount')
    .addOption(YES())
    .action(async (options) => {
      const { email, yes } = options;
      const api = connect(options).admin;
      await confirmed(terminal, yes, `Delete ${email}, its keys, links and clicks, for good?`, 'Nothing was deleted.');
      print(options, await api.deleteAccount(email), showDeletedAccount);
    });

  const credentials = addCommand(
    admin,
    'list-credentials',
    'What lets people into an account: sessions, passkeys, identities, keys and webhooks, with their ids.',
    ['waypost admin list-credentials --email ada@example.org'],
  );
  addFlags(credentials, 'getAccountCredentials').action(async (options) => {
    print(options, await connect(options).admin.credentials(options.email), showCredentials);
  });

  const secure = addCommand(
    admin,
    'secure-account',
    'Throw everybody out of an account: end its sessions and sign-in link, and remove what you name.',
    [
      'waypost admin secure-account --email ada@example.org --password',
      'waypost admin secure-account --email ada@example.org --remove b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
    ],
  );
  addFlags(secure, 'secureAnyAccount')
    .addOption(YES())
    .action(async (options) => {
      const { email, ...removals } = fieldsOf('secureAnyAccount', options);
      const api = connect(options).admin;
      await confirmed(terminal, options.yes, `Throw everybody out of ${email}?`, 'Nobody was thrown out.');
      print(options, await api.secure(email, removals), showCredentials);
    });

  const limit = addCommand(admin, 'set-limit', 'How many links an account may make per hour.', [
    'waypost admin set-limit --email ada@example.org --creations-per-hour 1000',
    'waypost admin set-limit --email ada@example.org --creations-per-hour default',
  ]);
  addFlags(limit, 'setLimit', 'creations_per_hour')
    .addOption(value('--creations-per-hour <N>', 'from 0, or default').makeOptionMandatory())
    .action(async (options) => {
      const { email, creationsPerHour } = options;
      if (!/^(\d{1,10}|default)$/.test(creationsPerHour))
        throw new UsageError('--creations-per-hour must be a whole number, or default.');
      const perHour = creationsPerHour === 'default' ? null : Number(creationsPerHour);
      print(options, await connect(options).admin.setLimit(email, perHour), showLimit);
    });
}

function addKeys(admin: Command, { connect, print, terminal }: Session): void {
  const list = addCommand(admin, 'list-keys', 'The active keys of an account, with their last use and their end.', [
    'waypost admin list-keys --email ada@example.org',
  ]);
  addFlags(list, 'listAccountKeys').action(async (options) => {
    print(options, await connect(options).admin.keys(options.email), showKeys);
  });

  const create = addCommand(admin, 'create-key', 'Make a key for an account. It is shown once.', [
    'waypost admin create-key --email ada@example.org --name ci --scopes write --expires 90d',
  ]);
  addFlags(create, 'createAccountKey', 'scopes', 'expires_at')
    .addOption(SCOPES())
    .addOption(EXPIRES())
    .action(async (options) => {
      const { email, ...key } = fieldsOf('createAccountKey', options);
      print(options, await connect(options).admin.createKey(email, newKeyOf(key, options)), showCreatedKey);
    });

  const erase = addCommand(admin, 'delete-key', 'Delete a key of an account; it is refused from the next request on.', [
    'waypost admin delete-key --email ada@example.org --id b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  ]);
  addFlags(erase, 'deleteAccountKey')
    .addOption(YES())
    .action(async (options) => {
      const { email, id, webhooks, yes } = options;
      const api = connect(options).admin;
      await confirmed(terminal, yes, `Delete the key ${id} of ${email}?`, 'Nothing was deleted.');
      print(options, await api.deleteKey(email, id, { webhooks }), showDeletedKey);
    });
}

function addLinks(admin: Command, { connect, print, terminal }: Session): void {
  const inspect = addCommand(admin, 'inspect-link', 'A link of any account: its owner, and why it is what it is.', [
    'waypost admin inspect-link --slug k7Qm2Rx',
  ]);
  addFlags(inspect, 'inspectLink').action(async (options) => {
    print(options, await connect(options).admin.link(slugOf(options.slug)), showInspected);
  });

  const takeDown = addCommand(
    admin,
    'take-down',
    'Flag a link of any account: it redirects nobody, and only a review clears it.',
    ['waypost admin take-down --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."'],
  );
  addFlags(takeDown, 'takeDownLink')
    .addOption(YES())
    .action(async (options) => {
      const { slug, ...body } = fieldsOf('takeDownLink', options);
      const api = connect(options).admin;
      await confirmed(terminal, options.yes, `Take ${slugOf(slug)} down?`, 'Nothing was taken down.');
      print(options, await api.takeDown(slug, body), showLink);
    });

  const takeDownHost = addCommand(
    admin,
    'take-down-host',
    "Flag all links of a link's account to the host where this link leads.",
    ['waypost admin take-down-host --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."'],
  );
  addFlags(takeDownHost, 'takeDownHost', 'after')
    .addOption(YES())
    .action(async (options) => {
      const { slug: text, ...body } = fieldsOf('takeDownHost', options);
      const slug = slugOf(text);
      const api = connect(options).admin;
      const { owner, host, count } = await api.linksToHost(slug);
      const question = `Take ${count} ${count === 1 ? 'link' : 'links'} of ${owner} to ${host} down?`;
      await confirmed(terminal, options.yes, question, 'Nothing was taken down.');
      const taken_down = await api.takeDownHost(slug, body);
      print(options, { owner, host, taken_down }, () => `Taken down: ${taken_down}. Only a review clears them.`);
    });

  const review = addCommand(admin, 'review', 'Decide about a flagged link.', [
    'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
  ]);
  addFlags(review, 'reviewLink').action(async (options) => {
    const { slug, ...body } = fieldsOf('reviewLink', options);
    print(options, await connect(options).admin.review(slugOf(slug), body), showLink);
  });
}

function addCases(admin: Command, { connect, print, terminal }: Session): void {
  const list = addCommand(
    admin,
    'list-cases',
    'Reports about links, and requests to review a flag, the newest first.',
    ['waypost admin list-cases --state open'],
  );
  addFlags(list, 'listCases').action(async (options) => {
    print(options, await connect(options).admin.cases(fieldsOf('listCases', options)), showCases);
  });

  addCommand(admin, 'count-cases', 'How many reports and reviews wait for a decision, and since when.', [
    'waypost admin count-cases --json',
  ]).action(async (options) => {
    print(options, await connect(options).admin.caseCount(), showCaseCount);
  });

  const decide = addCommand(
    admin,
    'decide-case',
    'Decide a case. A report that is upheld takes the link down, a review that is upheld clears it.',
    ['waypost admin decide-case --number k7Qm2Rx-aB3dE6g --decision upheld --reason "It is a scam."'],
  );
  addFlags(decide, 'decideCase')
    .addOption(YES())
    .action(async (options) => {
      const { number, ...body } = fieldsOf('decideCase', options);
      const api = connect(options).admin;
      await confirmed(terminal, options.yes, `Decide ${number} as ${body.decision}, for good?`, 'Nothing was decided.');
      print(options, await api.decide(number, body), showCase);
    });
}

function addRecords(admin: Command, { connect, print }: Session): void {
  addCommand(admin, 'feeds', 'The threat feeds, with their age and the error of their last update.', [
    'waypost admin feeds',
  ]).action(async (options) => {
    print(options, await connect(options).admin.feeds(), showFeeds);
  });

  const audit = addCommand(
    admin,
    'audit',
    'What administrators and operators did, every sign-in, and every change to accounts, keys and webhooks.',
    ['waypost admin audit --since 7d --actor ada@example.org'],
  );
  addFlags(audit, 'listAudit', 'since', 'action')
    .addOption(value('--since <T>', 'only from then on: so long ago (7d), or a date in UTC'))
    .addOption(value('--action <A>', 'only such changes, as account.suspended'))
    .action(async (options) => {
      const { since, action } = options;
      const answer = await connect(options).admin.audit({
        ...fieldsOf('listAudit', options),
        since: since === undefined ? undefined : timeOf('--since', since, -1),
        // The API refuses an unknown action, so any text is passed on.
        action: action as AuditQuery['action'],
      });
      print(options, answer, showAudit);
    });

  addCommand(admin, 'health', 'Whether Waypost can do its work, and each thing that it depends on.', [
    'waypost admin health || echo "not now"',
  ]).action(async (options) => {
    const readiness = await connect(options).readiness();
    print(options, readiness, showReadiness);
    if (readiness.status !== 'ready') throw new Ended(6);
  });
}
