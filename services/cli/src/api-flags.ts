/** Made by `scripts/api-types.ts` from what the endpoints of `services/link-api` declare: change it there. */

/** The parameters, and the fields of the body, of each operation that has a command. */
export const FLAGS = {
  createLink: {
    dry_run: {
      type: 'string',
      help: 'whether to validate and scan without creating anything or using quota; default false',
      values: ['true', 'false'],
    },
    destination_url: {
      type: 'string',
      help: 'the destination URL: an absolute http or https URL of a public host, without credentials, at most 2048 bytes',
      required: true,
    },
    custom_slug: { type: 'string', help: 'a custom slug: letters, digits, _ and -, beginning with a letter or digit' },
    tags: { type: 'array', help: 'tags for the link; may be given up to 10 times' },
  },
  listLinks: {
    page: { type: 'integer', help: 'the page to return, starting at 1; default 1' },
    limit: { type: 'integer', help: 'the number of entries per page; 1 to 100; default 10' },
    sort: {
      type: 'string',
      help: 'the field to sort by; default created_at',
      values: ['created_at', 'updated_at', 'slug', 'destination_url', 'status', 'clicks'],
    },
    order: {
      type: 'string',
      help: 'the sort direction: ascending or descending; default desc',
      values: ['asc', 'desc'],
    },
    status: { type: 'string', help: 'only links with this status', values: ['active', 'flagged', 'revoked'] },
    tag: { type: 'array', help: 'only links with this exact tag; may be given up to 10 times' },
    search: { type: 'string', help: 'only links whose slug or destination contains this text, in upper or lower case' },
  },
  createLinks: {
    dry_run: {
      type: 'string',
      help: 'whether to validate and scan without creating anything or using quota; default false',
      values: ['true', 'false'],
    },
    links: { type: 'array', help: 'the links to create; may be given up to 500 times', required: true },
  },
  checkUrl: { url: { type: 'string', help: 'the URL to check', required: true } },
  getLink: {},
  revokeLink: {},
  getScan: {},
  getAnalytics: {
    period: {
      type: 'string',
      help: 'the period: the last 7, 30 or 90 UTC days, including today; default 7d',
      values: ['7d', '30d', '90d'],
    },
    bots: { type: 'string', help: 'whether to count known bots; default include', values: ['include', 'exclude'] },
  },
  getOverview: {
    period: {
      type: 'string',
      help: 'the period: the last 7, 30 or 90 UTC days, including today; default 7d',
      values: ['7d', '30d', '90d'],
    },
    bots: { type: 'string', help: 'whether to count known bots; default include', values: ['include', 'exclude'] },
  },
  listAccounts: {
    page: { type: 'integer', help: 'the page to return, starting at 1; default 1' },
    limit: { type: 'integer', help: 'the number of entries per page; 1 to 100; default 10' },
    search: { type: 'string', help: 'only accounts whose e-mail address contains this text' },
    status: { type: 'string', help: 'only accounts with this status', values: ['active', 'suspended'] },
  },
  createAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    admin: { type: 'boolean', help: 'whether the account is an administrator' },
    sign_in_link: { type: 'boolean', help: 'whether to create a sign-in link' },
    password: { type: 'string', help: 'the password: 12 to 1000 characters' },
  },
  setLimit: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    creations_per_hour: { type: 'integer', help: 'links that the account may create per hour', required: true },
  },
  getAccountCredentials: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  secureAnyAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    remove: {
      type: 'array',
      help: 'passkeys, identities, API keys and webhooks to remove, by their IDs; may be given up to 100 times',
    },
    password: { type: 'boolean', help: 'whether to remove the password' },
  },
  listKeys: {},
  createKey: {
    name: { type: 'string', help: 'a name that tells what the key is for: 1 to 100 characters', required: true },
    scopes: {
      type: 'array',
      help: 'the scopes of the key: read, write or both, or admin alone',
      values: ['read', 'write', 'admin'],
      required: true,
    },
    expires_at: { type: 'string', help: 'when the key expires, in UTC' },
  },
  deleteKey: {
    webhooks: { type: 'string', help: 'what happens to the webhooks of the key', values: ['keep', 'switch_off'] },
  },
  listAccountKeys: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  createAccountKey: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    name: { type: 'string', help: 'a name that tells what the key is for: 1 to 100 characters', required: true },
    scopes: {
      type: 'array',
      help: 'the scopes of the key: read, write or both, or admin alone',
      values: ['read', 'write', 'admin'],
      required: true,
    },
    expires_at: { type: 'string', help: 'when the key expires, in UTC' },
  },
  deleteAnyKey: {
    id: { type: 'string', help: 'the ID of the API key', required: true },
    webhooks: { type: 'string', help: 'what happens to the webhooks of the key', values: ['keep', 'switch_off'] },
  },
  listWebhooks: {},
  createWebhook: {
    url: {
      type: 'string',
      help: 'the URL that receives messages: an https URL of a public host, without credentials, at most 2048 bytes',
      required: true,
    },
    events: {
      type: 'array',
      help: 'the events to send; may be given up to 6 times',
      values: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked', 'case.opened'],
      required: true,
    },
    scope: { type: 'string', help: 'the scope of the webhook', values: ['account', 'installation'] },
  },
  getWebhook: {},
  changeWebhook: {
    url: {
      type: 'string',
      help: 'the URL that receives messages: an https URL of a public host, without credentials, at most 2048 bytes',
      required: true,
    },
    events: {
      type: 'array',
      help: 'the events to send; may be given up to 6 times',
      values: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked', 'case.opened'],
      required: true,
    },
    enabled: { type: 'boolean', help: 'whether the webhook is enabled', required: true },
  },
  deleteWebhook: {},
  rotateWebhookSecret: {},
  testWebhook: {},
  listWebhookDeliveries: {
    state: { type: 'string', help: 'only deliveries in this state', values: ['pending', 'delivered', 'failed'] },
    before: { type: 'string', help: 'the cursor: next of the previous page' },
  },
  replayWebhookDelivery: {},
  requestReview: { message: { type: 'string', help: 'why the flag is wrong, in one line', required: true } },
  suspendAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    reason: { type: 'string', help: 'the reason, in one line' },
  },
  resumeAccount: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  inspectLink: { slug: { type: 'string', help: 'the slug of the link', required: true } },
  takeDownLink: {
    slug: { type: 'string', help: 'the slug of the link', required: true },
    threat_type: {
      type: 'string',
      help: 'the threat type, which visitors of the link see',
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
    reason: { type: 'string', help: 'the reason, in one line', required: true },
  },
  takeDownHost: {
    slug: { type: 'string', help: 'the slug of the link', required: true },
    threat_type: {
      type: 'string',
      help: 'the threat type, which visitors of the link see',
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
    reason: { type: 'string', help: 'the reason, in one line', required: true },
    after: { type: 'string', help: 'the cursor: next of the previous response' },
  },
  reviewLink: {
    slug: { type: 'string', help: 'the slug of the link', required: true },
    decision: { type: 'string', help: 'the decision', values: ['clear', 'keep'], required: true },
    reason: { type: 'string', help: 'the reason, in one line', required: true },
  },
  listReviewRequests: {
    limit: { type: 'integer', help: 'the number of entries per page; 1 to 100; default 10' },
    before: { type: 'string', help: 'the cursor: next of the previous page' },
    state: { type: 'string', help: 'only cases in this state', values: ['open', 'upheld', 'dismissed'] },
    decided_since: { type: 'string', help: 'only cases decided from this time on, in UTC' },
  },
  listCases: {
    limit: { type: 'integer', help: 'the number of entries per page; 1 to 100; default 10' },
    before: { type: 'string', help: 'the cursor: next of the previous page' },
    kind: { type: 'string', help: 'only cases of this kind', values: ['report', 'review'] },
    state: { type: 'string', help: 'only cases in this state', values: ['open', 'upheld', 'dismissed'] },
    about: { type: 'string', help: 'only cases about the link with this slug' },
  },
  countCases: {},
  decideCase: {
    number: { type: 'string', help: 'the number of the case', required: true },
    decision: { type: 'string', help: 'the decision', values: ['upheld', 'dismissed'], required: true },
    reason: { type: 'string', help: 'the reason, in one line', required: true },
    threat_type: {
      type: 'string',
      help: 'the threat type of a link that is taken down',
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
    limit: { type: 'integer', help: 'the number of entries per page; 1 to 100; default 10' },
    before: { type: 'string', help: 'the cursor: next of the previous page' },
    since: { type: 'string', help: 'only entries from this time on, in UTC' },
    actor: { type: 'string', help: 'only entries by this account, given by its e-mail address, or by operator' },
    action: {
      type: 'string',
      help: 'only entries with this action',
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
      help: 'only entries about this link (by slug), this API key (by ID), or this account with its keys and links (by e-mail address)',
    },
  },
} as const;

/** The command of each operation that is for administrators. */
export const COMMANDS = {
  listAccounts: {
    name: 'list-accounts',
    summary: 'List accounts.',
    description: 'Returns a page of all accounts, newest first.',
    example: 'waypost admin list-accounts --status suspended',
  },
  createAccount: {
    name: 'create-account',
    summary: 'Create an account.',
    description:
      'Creates an account. With sign_in_link, the response has a link by which its owner signs in and sets a password. The link works once and expires after one hour. With a dashboard session, you must have signed in or confirmed your identity (POST /account/proof) within the last 15 minutes. Otherwise, the response is 403 with details.proof.',
    example: 'waypost admin create-account --email ada@example.org',
  },
  setLimit: {
    name: 'set-limit',
    summary: 'Set the limit of an account.',
    description: 'Sets how many links an account may create per hour. The next request uses the new limit.',
    example: 'waypost admin set-limit --email ada@example.org --creations-per-hour 1000',
  },
  getAccountCredentials: {
    name: 'list-credentials',
    summary: 'List the credentials of an account.',
    description:
      'Returns all sessions, devices, passkeys, identities, API keys and webhooks of the account, with the time when each was added.',
    example: 'waypost admin list-credentials --email ada@example.org',
  },
  secureAnyAccount: {
    name: 'secure-account',
    summary: 'Secure an account.',
    description:
      'Removes intruders from an account. Ends every session, invalidates an unused sign-in link, and removes the credentials and webhooks that you name. If no credential remains, the owner needs a new sign-in link. The response lists what remains.',
    example: 'waypost admin secure-account --email ada@example.org --password --yes',
  },
  listAccountKeys: {
    name: 'list-keys',
    summary: 'List the API keys of an account.',
    description: 'Returns the active API keys of any account, newest first. The audit log records this request.',
    example: 'waypost admin list-keys --email ada@example.org',
  },
  createAccountKey: {
    name: 'create-key',
    summary: 'Create an API key for an account.',
    description:
      'Creates an API key for any account. Only this response contains the full key. With a dashboard session, you must have signed in or confirmed your identity (POST /account/proof) within the last 15 minutes. Otherwise, the response is 403 with details.proof.',
    example: 'waypost admin create-key --email ada@example.org --name laptop --scopes read,write',
  },
  deleteAnyKey: {
    name: 'delete-key',
    summary: 'Delete an API key of any account.',
    description:
      'Deletes an API key permanently. Its next request is refused. The response lists its webhooks: those whose URL was last set with this key.',
    example: 'waypost admin delete-key --id b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  },
  suspendAccount: {
    name: 'suspend-account',
    summary: 'Suspend an account.',
    description:
      'Suspends an account. The next request with one of its API keys or sessions returns 403. Its links do not change: take down the harmful ones. Suspending a suspended account changes only the reason.',
    example: 'waypost admin suspend-account --email ada@example.org --reason "Its links lead to a scam."',
  },
  resumeAccount: {
    name: 'resume-account',
    summary: 'Lift a suspension.',
    description:
      'Lifts the suspension of an account. Its API keys and sessions work again. An account that is not suspended does not change.',
    example: 'waypost admin resume-account --email ada@example.org',
  },
  inspectLink: {
    name: 'inspect-link',
    summary: 'Get a link of any account.',
    description:
      'Returns a link of any account, with its owner and the history of its verdicts. The audit log records this request.',
    example: 'waypost admin inspect-link --slug k7Qm2Rx',
  },
  takeDownLink: {
    name: 'take-down',
    summary: 'Take down a link.',
    description:
      'Flags a link of any account, unless it is revoked. The link stops redirecting before the response is sent. Only a review can clear the flag.',
    example: 'waypost admin take-down --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
  },
  takeDownHost: {
    name: 'take-down-host',
    summary: 'Take down links by host.',
    description:
      'Takes down all links of the same account to the same host, each like POST /admin/links/:slug/take-down. One request processes 500 links of the account. Repeat it with after until next is null. A retry is safe.',
    example: 'waypost admin take-down-host --slug k7Qm2Rx --threat-type phishing --reason "It imitates a bank."',
  },
  reviewLink: {
    name: 'review',
    summary: 'Review a flagged link.',
    description: 'Clears or keeps the flag of a link of any account.',
    example: 'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
  },
  listCases: {
    name: 'list-cases',
    summary: 'List cases.',
    description:
      'Returns reports of visitors and requests for reviews, newest first. To list the links under review, use kind=review and state=open.',
    example: 'waypost admin list-cases --state open',
  },
  countCases: {
    name: 'count-cases',
    summary: 'Count open cases.',
    description: 'Returns the number of open reports and reviews, and when the oldest of each was filed.',
    example: 'waypost admin count-cases',
  },
  decideCase: {
    name: 'decide-case',
    summary: 'Decide a case.',
    description:
      'Decides a report or a request for a review. An upheld report takes the link down, and an upheld review clears the flag. A dismissed report changes nothing, and a dismissed review keeps the flag. A revoked link does not change.',
    example: 'waypost admin decide-case --number k7Qm2Rx-aB3dE6g --decision upheld --reason "It is a scam."',
  },
  listFeeds: {
    name: 'feeds',
    summary: 'List threat feeds.',
    description:
      'Returns the threat feeds of the scanner, with their age and last error. It also returns which hosts and links of this service they list.',
    example: 'waypost admin feeds',
  },
  deleteAnyAccount: {
    name: 'delete-account',
    summary: 'Delete an account.',
    description:
      'Permanently deletes the account with its API keys, sessions, passkeys and webhooks. Its links stop redirecting, their slugs stay reserved, and their destinations, tags and clicks are erased. This cannot be undone.',
    example: 'waypost admin delete-account --email ada@example.org --yes',
  },
  listAudit: {
    name: 'audit',
    summary: 'List the audit log.',
    description:
      'Returns the audit log, newest first. It records the actions of administrators and operators, including reads of links and keys of other accounts. It also records every sign-in, and every change to accounts, API keys and webhooks.',
    example: 'waypost admin audit --limit 25',
  },
} as const;
