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
  getAccountCredentials: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
  secureAnyAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    remove: {
      type: 'array',
      help: 'ids of passkeys, identities, keys and webhooks of the account; may be given up to 100 times',
    },
    password: { type: 'boolean', help: 'whether to remove the password, too' },
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
  },
  setLimit: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    creations_per_hour: { type: 'integer', help: 'null: the default of this Waypost', required: true },
  },
  deleteAnyAccount: { email: { type: 'string', help: 'the e-mail address of the account', required: true } },
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
  deleteAccountKey: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    id: { type: 'string', help: 'the id of the key', required: true },
    webhooks: { type: 'string', help: 'what becomes of its webhooks', values: ['keep', 'switch_off'] },
  },
  createWebhook: {
    url: {
      type: 'string',
      help: 'where to: an https URL of a public host, at most 2048 bytes, without credentials',
      required: true,
    },
    events: {
      type: 'array',
      help: 'what to send; may be given up to 5 times',
      values: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked'],
      required: true,
    },
  },
  changeWebhook: {
    url: {
      type: 'string',
      help: 'where to: an https URL of a public host, at most 2048 bytes, without credentials',
      required: true,
    },
    events: {
      type: 'array',
      help: 'what to send; may be given up to 5 times',
      values: ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked'],
      required: true,
    },
    enabled: { type: 'boolean', help: 'what happens while it is off is not sent later', required: true },
  },
  listWebhookDeliveries: {
    state: { type: 'string', help: 'only deliveries of this state', values: ['pending', 'delivered', 'failed'] },
    before: { type: 'string', help: 'only deliveries from before the one of this id' },
  },
  requestReview: { message: { type: 'string', help: 'why the flag is wrong', required: true } },
  suspendAccount: {
    email: { type: 'string', help: 'the e-mail address of the account', required: true },
    reason: { type: 'string', help: 'the owner reads it', required: true },
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
  },
  listCases: {
    limit: { type: 'integer', help: 'how many on a page; 1 to 100; default 10' },
    before: { type: 'string', help: 'only entries older than this one: next of the page before' },
    kind: { type: 'string', help: 'only such cases', values: ['report', 'review'] },
    state: { type: 'string', help: 'only cases in this state', values: ['open', 'upheld', 'dismissed'] },
    about: { type: 'string', help: 'only cases about the link with this slug' },
  },
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
        'account.limit_set',
        'account.password_changed',
        'account.resumed',
        'account.secured',
        'account.sessions_ended',
        'account.sign_in_link_made',
        'account.suspended',
        'case.decided',
        'identity.linked',
        'identity.removed',
        'key.created',
        'key.deleted',
        'link.reviewed',
        'link.taken_down',
        'passkey.created',
        'passkey.deleted',
        'session.ended',
        'session.started',
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
