/** Made by `scripts/api-types.ts` from what the endpoints of `services/link-api` declare: change it there. */

/** The parameters, and the fields of the body, of each operation that has a command. */
export const FLAGS = {
  createLink: {
    dry_run: {
      type: 'string',
      help: 'true: every check and the scan, but nothing is made and nothing is spent; default false',
      values: ['true', 'false'],
    },
    destination_url: {
      type: 'string',
      help: 'an absolute http or https URL of a public host, at most 2048 bytes, without credentials; not one of this service',
      required: true,
    },
    custom_slug: { type: 'string', help: 'your own slug: letters, digits, _ and -, a letter or digit first' },
    tags: { type: 'array', help: 'labels; may be given up to 10 times' },
  },
  listLinks: {
    page: { type: 'integer', help: 'which page; default 1' },
    limit: { type: 'integer', help: 'how many on a page; 1 to 100; default 10' },
    sort: {
      type: 'string',
      help: 'sorts by this field; ties by slug; default created_at',
      values: ['created_at', 'updated_at', 'slug', 'destination_url', 'status', 'clicks'],
    },
    order: { type: 'string', help: 'ascending or descending; default desc', values: ['asc', 'desc'] },
    status: { type: 'string', help: 'only links of this status', values: ['active', 'flagged', 'revoked'] },
    tag: { type: 'array', help: 'only links with exactly this tag; may be given up to 10 times' },
    search: {
      type: 'string',
      help: 'only links with this text in their slug or destination, in capital or small letters',
    },
  },
  createLinks: {
    dry_run: {
      type: 'string',
      help: 'true: every check and the scan, but nothing is made and nothing is spent; default false',
      values: ['true', 'false'],
    },
    links: { type: 'array', help: 'no custom slug may occur twice; may be given up to 500 times', required: true },
  },
  checkUrl: { url: { type: 'string', help: 'the address', required: true } },
  getLink: {},
  revokeLink: {},
  getScan: {},
  getAnalytics: {
    period: {
      type: 'string',
      help: 'the last 7, 30 or 90 UTC days, today included; default 7d',
      values: ['7d', '30d', '90d'],
    },
    bots: {
      type: 'string',
      help: 'exclude leaves known bots out of every figure; default include',
      values: ['include', 'exclude'],
    },
  },
  getOverview: {
    period: {
      type: 'string',
      help: 'the last 7, 30 or 90 UTC days, today included; default 7d',
      values: ['7d', '30d', '90d'],
    },
    bots: {
      type: 'string',
      help: 'exclude leaves known bots out of every figure; default include',
      values: ['include', 'exclude'],
    },
  },
  listAccounts: {
    page: { type: 'integer', help: 'which page; default 1' },
    limit: { type: 'integer', help: 'how many on a page; 1 to 100; default 10' },
    search: { type: 'string', help: 'only accounts with this text in their e-mail address' },
    status: {
      type: 'string',
      help: 'only accounts that are suspended, or that are not',
      values: ['active', 'suspended'],
    },
  },
  createAccount: {
    email: { type: 'string', help: 'the e-mail address: not that of another account', required: true },
    admin: { type: 'boolean', help: 'an administrator of this Waypost; false unless it is given' },
    sign_in_link: { type: 'boolean', help: 'false unless it is given' },
    password: { type: 'string', help: '12 to 1000 characters' },
  },
  setLimit: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    creations_per_hour: { type: 'integer', help: 'null: the default of this Waypost', required: true },
  },
  getAccountCredentials: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  secureAnyAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    remove: {
      type: 'array',
      help: 'ids of passkeys, identities, keys and webhooks of the account; may be given up to 100 times',
    },
    password: { type: 'boolean', help: 'whether to remove the password, too' },
  },
  listKeys: {},
  createKey: {
    name: { type: 'string', help: 'what it is for: 1 to 100 characters', required: true },
    scopes: {
      type: 'array',
      help: 'read, write or both; or admin alone',
      values: ['read', 'write', 'admin'],
      required: true,
    },
    expires_at: { type: 'string', help: 'when it ends, in UTC' },
  },
  deleteKey: { webhooks: { type: 'string', help: 'what becomes of its webhooks', values: ['keep', 'switch_off'] } },
  listAccountKeys: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  createAccountKey: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    name: { type: 'string', help: 'what it is for: 1 to 100 characters', required: true },
    scopes: {
      type: 'array',
      help: 'read, write or both; or admin alone',
      values: ['read', 'write', 'admin'],
      required: true,
    },
    expires_at: { type: 'string', help: 'when it ends, in UTC' },
  },
  deleteAnyKey: {
    id: { type: 'string', help: 'the id of the key', required: true },
    webhooks: { type: 'string', help: 'what becomes of its webhooks', values: ['keep', 'switch_off'] },
  },
  listWebhooks: {},
  createWebhook: {
    url: {
      type: 'string',
      help: 'where to: an https URL of a public host, at most 2048 bytes, without credentials',
      required: true,
    },
    events: {
      type: 'array',
      help: 'what to send; may be given up to 6 times',
      values: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked', 'case.opened'],
      required: true,
    },
    scope: { type: 'string', help: 'account unless it is given', values: ['account', 'installation'] },
  },
  getWebhook: {},
  changeWebhook: {
    url: {
      type: 'string',
      help: 'where to: an https URL of a public host, at most 2048 bytes, without credentials',
      required: true,
    },
    events: {
      type: 'array',
      help: 'what to send; may be given up to 6 times',
      values: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked', 'case.opened'],
      required: true,
    },
    enabled: { type: 'boolean', help: 'what happens while it is off is not sent later', required: true },
  },
  deleteWebhook: {},
  rotateWebhookSecret: {},
  testWebhook: {},
  listWebhookDeliveries: {
    state: { type: 'string', help: 'only deliveries of this state', values: ['pending', 'delivered', 'failed'] },
    before: { type: 'string', help: 'only deliveries from before the one of this id' },
  },
  replayWebhookDelivery: {},
  requestReview: { message: { type: 'string', help: 'why the flag is wrong', required: true } },
  suspendAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    reason: { type: 'string', help: 'the owner reads it' },
  },
  resumeAccount: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  inspectLink: { slug: { type: 'string', help: 'the slug of the link', required: true } },
  takeDownLink: {
    slug: { type: 'string', help: 'the slug of the link', required: true },
    threat_type: {
      type: 'string',
      help: 'what visitors are told that it is suspected of',
      values: [
        'malware',
        'phishing',
        'harmful_application',
        'scam',
        'unwanted_software',
        'spam',
        'suspicious',
        'policy_violation',
      ],
      required: true,
    },
    reason: { type: 'string', help: 'the owner reads it with the link', required: true },
  },
  takeDownHost: {
    slug: { type: 'string', help: 'the slug of the link', required: true },
    threat_type: {
      type: 'string',
      help: 'what visitors are told that it is suspected of',
      values: [
        'malware',
        'phishing',
        'harmful_application',
        'scam',
        'unwanted_software',
        'spam',
        'suspicious',
        'policy_violation',
      ],
      required: true,
    },
    reason: { type: 'string', help: 'the owner reads it with the link', required: true },
    after: { type: 'string', help: 'next of the call before' },
  },
  reviewLink: {
    slug: { type: 'string', help: 'the slug of the link', required: true },
    decision: {
      type: 'string',
      help: 'clear makes the link active, and the same evidence does not flag it again; keep leaves it and is recorded',
      values: ['clear', 'keep'],
      required: true,
    },
    reason: { type: 'string', help: 'kept with the link', required: true },
  },
  listReviewRequests: {
    limit: { type: 'integer', help: 'how many on a page; 1 to 100; default 10' },
    before: { type: 'string', help: 'only entries older than this one: next of the page before' },
    state: { type: 'string', help: 'only cases in this state', values: ['open', 'upheld', 'dismissed'] },
    decided_since: { type: 'string', help: 'only decisions from then on, in UTC' },
  },
  listCases: {
    limit: { type: 'integer', help: 'how many on a page; 1 to 100; default 10' },
    before: { type: 'string', help: 'only entries older than this one: next of the page before' },
    kind: { type: 'string', help: 'only such cases', values: ['report', 'review'] },
    state: { type: 'string', help: 'only cases in this state', values: ['open', 'upheld', 'dismissed'] },
    about: { type: 'string', help: 'only cases about the link with this slug' },
  },
  countCases: {},
  decideCase: {
    number: { type: 'string', help: 'the number of the case', required: true },
    decision: {
      type: 'string',
      help: 'upheld: the report or the request is right',
      values: ['upheld', 'dismissed'],
      required: true,
    },
    reason: {
      type: 'string',
      help: 'for the person who filed the case, and the owner of a link that is taken down',
      required: true,
    },
    threat_type: {
      type: 'string',
      help: 'of a link that is taken down; what it was reported as unless it is given',
      values: [
        'malware',
        'phishing',
        'harmful_application',
        'scam',
        'unwanted_software',
        'spam',
        'suspicious',
        'policy_violation',
      ],
    },
  },
  listFeeds: {},
  deleteAnyAccount: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  listAudit: {
    limit: { type: 'integer', help: 'how many on a page; 1 to 100; default 10' },
    before: { type: 'string', help: 'only entries older than this one: next of the page before' },
    since: { type: 'string', help: 'only entries from then on, in UTC' },
    actor: { type: 'string', help: 'only by this account, by its e-mail address, or by operator' },
    action: {
      type: 'string',
      help: 'only such changes',
      values: [
        'account.created',
        'account.deleted',
        'account.keys_read',
        'account.limit_set',
        'account.links_imported',
        'account.password_changed',
        'account.resumed',
        'account.secured',
        'account.sessions_ended',
        'account.sign_in_link_made',
        'account.suspended',
        'backup.made',
        'backup.restored',
        'case.decided',
        'feed.entry_released',
        'feed.imported',
        'identity.linked',
        'identity.removed',
        'key.created',
        'key.deleted',
        'link.exported',
        'link.read',
        'link.reviewed',
        'link.taken_down',
        'passkey.created',
        'passkey.deleted',
        'session.ended',
        'session.started',
        'visitor_secret.rotated',
        'webhook.changed',
        'webhook.created',
        'webhook.deleted',
        'webhook.secret_rotated',
      ],
    },
    subject: {
      type: 'string',
      help: 'only about this link (its slug) or key (its id), or, with an e-mail address, about this account, its keys and links',
    },
  },
} as const;

/** The command of each operation that is for administrators. */
export const COMMANDS = {
  listAccounts: {
    name: 'list-accounts',
    summary: 'List the accounts.',
    description: 'All accounts, page by page, the newest first.',
    example: 'waypost admin list-accounts --status suspended',
  },
  createAccount: {
    name: 'create-account',
    summary: 'Make an account.',
    description:
      'With sign_in_link the answer has a link to sign in with: it works once, for one hour, and its owner may set a password then. A session must have begun within 15 minutes, or proved who its owner is (POST /account/proof): else 403 with details.proof.',
    example: 'waypost admin create-account --email ada@example.org',
  },
  setLimit: {
    name: 'set-limit',
    summary: 'Set the limit of an account.',
    description: 'How many links an account may make per hour. It holds from the next request on.',
    example: 'waypost admin set-limit --email ada@example.org --creations-per-hour 1000',
  },
  getAccountCredentials: {
    name: 'list-credentials',
    summary: 'List what lets people into an account.',
    description: 'Sessions, devices, passkeys, identities, keys and webhooks, each with the time when it was added.',
    example: 'waypost admin list-credentials --email ada@example.org',
  },
  secureAnyAccount: {
    name: 'secure-account',
    summary: 'Throw everybody out of an account.',
    description:
      'Ends every session and an unused sign-in link, and removes what you name. Its owner then needs a sign-in link, if nothing else is left. The answer lists what is left.',
    example: 'waypost admin secure-account --email ada@example.org --password --yes',
  },
  listAccountKeys: {
    name: 'list-keys',
    summary: 'List the API keys of an account.',
    description: 'The active keys, the newest first, with their last use and their end. The audit log notes it.',
    example: 'waypost admin list-keys --email ada@example.org',
  },
  createAccountKey: {
    name: 'create-key',
    summary: 'Make an API key for an account.',
    description:
      'The key is in this answer and nowhere else. A session must have begun within 15 minutes, or proved who its owner is (POST /account/proof): else 403 with details.proof.',
    example: 'waypost admin create-key --email ada@example.org --name laptop --scopes read,write',
  },
  deleteAnyKey: {
    name: 'delete-key',
    summary: 'Delete an API key of any account.',
    description:
      'It is refused from the next request on. This cannot be undone. The answer names its webhooks: those that it made, or whose address it set last.',
    example: 'waypost admin delete-key --id b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  },
  suspendAccount: {
    name: 'suspend-account',
    summary: 'Suspend an account.',
    description:
      'Its keys and sessions are answered with 403 from the next request on. Its links stay as they are: take down those that must stop. A second suspension changes the reason alone.',
    example: 'waypost admin suspend-account --email ada@example.org --reason "Its links lead to a scam."',
  },
  resumeAccount: {
    name: 'resume-account',
    summary: 'Lift a suspension.',
    description: 'Its keys and sessions work again. An account that is not suspended stays as it is.',
    example: 'waypost admin resume-account --email ada@example.org',
  },
  inspectLink: {
    name: 'inspect-link',
    summary: 'Read any link.',
    description: 'A link of any account, with its owner and why it is what it is. The audit log notes it.',
    example: 'waypost admin inspect-link --slug k7Qm2Rx',
  },
  takeDownLink: {
    name: 'take-down',
    summary: 'Take a link down.',
    description:
      'Flags a link of any account that is not revoked. After the 200 no visitor is sent to its destination. Only a review clears it.',
    example: 'waypost admin take-down --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
  },
  takeDownHost: {
    name: 'take-down-host',
    summary: "Take an account's links to a host down.",
    description:
      "Takes down all links of this link's account to the host of its destination, each as by POST /admin/links/:slug/take-down. One call looks at 500 links of the account: call again with after until next is null. A call that is repeated changes nothing twice.",
    example: 'waypost admin take-down-host --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
  },
  reviewLink: {
    name: 'review',
    summary: 'Decide about a flagged link.',
    description: 'Ends the review of a flagged link of any account.',
    example: 'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
  },
  listCases: {
    name: 'list-cases',
    summary: 'List reports and reviews.',
    description:
      'What visitors reported, and reviews that owners and visitors asked for; the newest first. Links under review: kind=review and state=open.',
    example: 'waypost admin list-cases --state open',
  },
  countCases: {
    name: 'count-cases',
    summary: 'Count what waits for a decision.',
    description: 'How many reports and reviews are open, and since when the oldest waits.',
    example: 'waypost admin count-cases',
  },
  decideCase: {
    name: 'decide-case',
    summary: 'Decide a report or a review.',
    description:
      'A report that is upheld takes the link down, a review that is upheld clears it; a report that is dismissed changes nothing, a review that is dismissed keeps the flag. A link that is revoked stays as it is.',
    example: 'waypost admin decide-case --number k7Qm2Rx-aB3dE6g --decision upheld --reason "It is a scam."',
  },
  listFeeds: {
    name: 'feeds',
    summary: 'List the threat feeds.',
    description:
      'What the scanner knows of threats, how old it is, what went wrong with the last update, and what names this service.',
    example: 'waypost admin feeds',
  },
  deleteAnyAccount: {
    name: 'delete-account',
    summary: 'Delete an account.',
    description:
      'Keys, sessions, passkeys and webhooks go at once. Every link stops for good, its slug stays reserved, and its destination, tags and clicks are erased. Nobody can undo it.',
    example: 'waypost admin delete-account --email ada@example.org --yes',
  },
  listAudit: {
    name: 'audit',
    summary: 'Read the audit log.',
    description:
      'What administrators and operators did, which links and keys of others they read, every sign-in, and every change to accounts, keys and webhooks; the newest first. next leads to the older entries.',
    example: 'waypost admin audit --limit 25',
  },
} as const;
