import type {
  AccountCredentials,
  AccountDetails,
  AccountLimit,
  AccountPage,
  AccountRemovals,
  ApiKeyList,
  AuditPage,
  Case,
  CaseCount,
  CaseDecision,
  CasePage,
  CreatedAccount,
  CreatedApiKey,
  DeletedAccount,
  DeletedApiKey,
  HealthDetails,
  HostTakenDown,
  InspectedLink,
  Link,
  LinksToHost,
  NewAccount,
  NewApiKey,
  Operations,
  Review,
  TakeDown,
  ThreatFeedList,
} from './api-types.ts';
import type { CallOptions, InputOf } from './request.ts';

export type AccountsQuery = Operations['listAccounts']['query'];
export type AuditQuery = Operations['listAudit']['query'];
export type CasesQuery = Operations['listCases']['query'];

type CallOf = <Id extends keyof Operations>(operation: Id, input?: InputOf<Id>) => Promise<Operations[Id]['answer']>;

/** These methods need a key of an administrator with the scope `admin`. */
export type Administration = ReturnType<typeof administration>;

export const administration = (call: CallOf) => ({
  accounts: (query: AccountsQuery = {}, options?: CallOptions): Promise<AccountPage> =>
    call('listAccounts', { query, ...options }),
  /** The client does not retry this if the account may already exist. */
  createAccount: (account: NewAccount, options?: CallOptions): Promise<CreatedAccount> =>
    call('createAccount', { body: account, once: true, ...options }),
  /** Sets how many links the account may create per hour; null restores the default. */
  setLimit: (email: string, creationsPerHour: number | null, options?: CallOptions): Promise<AccountLimit> =>
    call('setLimit', { path: { email }, body: { creations_per_hour: creationsPerHour }, ...options }),
  /** The keys and sessions of the account are refused from the next request on. Its links do not change. */
  suspend: (email: string, reason?: string, options?: CallOptions): Promise<AccountDetails> =>
    call('suspendAccount', { path: { email }, body: reason === undefined ? {} : { reason }, ...options }),
  resume: (email: string, options?: CallOptions): Promise<AccountDetails> =>
    call('resumeAccount', { path: { email }, ...options }),
  /** Cannot be undone: the links of the account stop working. All its data except the slugs is erased. */
  deleteAccount: (email: string, options?: CallOptions): Promise<DeletedAccount> =>
    call('deleteAnyAccount', { path: { email }, ...options }),
  /** Everything that lets people into the account, with the time when it was added. */
  credentials: (email: string, options?: CallOptions): Promise<AccountCredentials> =>
    call('getAccountCredentials', { path: { email }, ...options }),
  /** Ends all sessions of the account and removes what is named, by its ids. Returns what is left. */
  secure: (email: string, removals: AccountRemovals = {}, options?: CallOptions): Promise<AccountCredentials> =>
    call('secureAnyAccount', { path: { email }, body: removals, ...options }),
  keys: (email: string, options?: CallOptions): Promise<ApiKeyList> =>
    call('listAccountKeys', { path: { email }, ...options }),
  /** The client does not retry this if the key may already exist. */
  createKey: (email: string, key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> =>
    call('createAccountKey', { path: { email }, body: key, once: true, ...options }),
  /** Of any account. */
  deleteKey: (
    id: string,
    query: Operations['deleteAnyKey']['query'] = {},
    options?: CallOptions,
  ): Promise<DeletedApiKey> => call('deleteAnyKey', { path: { id }, query, ...options }),
  link: async (slug: string, options?: CallOptions): Promise<InspectedLink> =>
    call('inspectLink', { path: { slug }, ...options }),
  /** Flags a link of any account. The owner can read the reason. */
  takeDown: async (slug: string, body: TakeDown, options?: CallOptions): Promise<Link> =>
    call('takeDownLink', { path: { slug }, body, ...options }),
  /** The links of the same account to the same host as this link: how many a take-down would change, and the first. */
  linksToHost: (slug: string, options?: CallOptions): Promise<LinksToHost> =>
    call('listLinksToHost', { path: { slug }, ...options }),
  /** Takes all these links down, in as many requests as that needs. Resolves to their number. */
  takeDownHost: async (slug: string, body: TakeDown, options?: CallOptions): Promise<number> => {
    let count = 0;
    for (let after: string | null = null; ; ) {
      const part: HostTakenDown = await call('takeDownHost', { path: { slug }, body: { ...body, after }, ...options });
      count += part.taken_down;
      if (part.next === null) return count;
      after = part.next;
    }
  },
  review: async (slug: string, body: Review, options?: CallOptions): Promise<Link> =>
    call('reviewLink', { path: { slug }, body, ...options }),
  /** Resolves to reports of links and requests to review a flag. For the following page, pass `next` as `before`. */
  cases: (query: CasesQuery = {}, options?: CallOptions): Promise<CasePage> => call('listCases', { query, ...options }),
  /** Resolves to how many reports and reviews wait for a decision, and since when. */
  caseCount: (options?: CallOptions): Promise<CaseCount> => call('countCases', options),
  /** Upholding a report takes the link down. Upholding a request for review clears the link. */
  decide: (number: string, body: CaseDecision, options?: CallOptions): Promise<Case> =>
    call('decideCase', { path: { number }, body, ...options }),
  /** Resolves to a page of the audit log. For the following page, pass `next` as `before`. */
  audit: (query: AuditQuery = {}, options?: CallOptions): Promise<AuditPage> =>
    call('listAudit', { query, ...options }),
  feeds: (options?: CallOptions): Promise<ThreatFeedList> => call('listFeeds', options),
  health: (options?: CallOptions): Promise<HealthDetails> => call('getHealthDetails', options),
});
