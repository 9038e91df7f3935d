import type {
  AccountDetails,
  AccountLimit,
  AccountPage,
  ApiKeyList,
  AuditPage,
  Case,
  CaseDecision,
  CasePage,
  CreatedAccount,
  CreatedApiKey,
  components,
  DeletedAccount,
  DeletedApiKey,
  InspectedLink,
  Link,
  NewAccount,
  NewApiKey,
  Review,
  TakeDown,
  ThreatFeedList,
} from './api-types.ts';
import { linkPath, queryOf } from './paths.ts';
import type { Call, CallOptions } from './request.ts';

type Parameters = components['parameters'];
type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export type AccountsQuery = Optional<Pick<Parameters, 'page' | 'limit'>> & {
  readonly search?: Parameters['listAccounts.search'] | undefined;
  readonly status?: Parameters['listAccounts.status'] | undefined;
};
export type AuditQuery = Optional<Pick<Parameters, 'limit' | 'before' | 'since' | 'actor' | 'action' | 'subject'>>;

export type CasesQuery = Optional<Pick<Parameters, 'limit' | 'before' | 'kind' | 'about'>> & {
  readonly state?: Parameters['listCases.state'] | undefined;
};

const accountPath = (email: string) => `/admin/accounts/${encodeURIComponent(email)}`;

/** For a key with the scope `admin` of an administrator. */
export type Administration = ReturnType<typeof administration>;

export const administration = (call: <T>(call: Call) => Promise<T>) => ({
  accounts: (query: AccountsQuery = {}, options?: CallOptions): Promise<AccountPage> =>
    call({ method: 'GET', path: `/admin/accounts${queryOf(query)}`, ...options }),
  /** Not tried again where it may have been made. */
  createAccount: (account: NewAccount, options?: CallOptions): Promise<CreatedAccount> =>
    call({ method: 'POST', path: '/admin/accounts', body: account, once: true, ...options }),
  /** How many links an account may make per hour; null: the default. */
  setLimit: (email: string, creationsPerHour: number | null, options?: CallOptions): Promise<AccountLimit> => {
    const body = { creations_per_hour: creationsPerHour };
    return call({ method: 'PUT', path: `${accountPath(email)}/limit`, body, ...options });
  },
  /** Its keys and sessions are refused from the next request on; its links stay as they are. */
  suspend: (email: string, reason: string, options?: CallOptions): Promise<AccountDetails> =>
    call({ method: 'PUT', path: `${accountPath(email)}/suspension`, body: { reason }, ...options }),
  resume: (email: string, options?: CallOptions): Promise<AccountDetails> =>
    call({ method: 'DELETE', path: `${accountPath(email)}/suspension`, ...options }),
  /** For good: its links stop, and everything about it but their slugs is erased. */
  deleteAccount: (email: string, options?: CallOptions): Promise<DeletedAccount> =>
    call({ method: 'DELETE', path: accountPath(email), ...options }),
  keys: (email: string, options?: CallOptions): Promise<ApiKeyList> =>
    call({ method: 'GET', path: `${accountPath(email)}/keys`, ...options }),
  /** Not tried again where it may have been made. */
  createKey: (email: string, key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> =>
    call({ method: 'POST', path: `${accountPath(email)}/keys`, body: key, once: true, ...options }),
  deleteKey: (email: string, id: string, options?: CallOptions): Promise<DeletedApiKey> =>
    call({ method: 'DELETE', path: `${accountPath(email)}/keys/${encodeURIComponent(id)}`, ...options }),
  /** A link of any account, with its owner and why it is what it is. */
  link: async (slug: string, options?: CallOptions): Promise<InspectedLink> =>
    call({ method: 'GET', path: `/admin${linkPath(slug)}`, ...options }),
  /** Flags a link of any account; its owner reads the reason. */
  takeDown: async (slug: string, body: TakeDown, options?: CallOptions): Promise<Link> =>
    call({ method: 'POST', path: `/admin${linkPath(slug)}/take-down`, body, ...options }),
  /** Decides about a flagged link of any account. */
  review: async (slug: string, body: Review, options?: CallOptions): Promise<Link> =>
    call({ method: 'POST', path: `/admin${linkPath(slug)}/review`, body, ...options }),
  /** Reports, and requests to review a flag; `next` is `before` of the page after it. */
  cases: (query: CasesQuery = {}, options?: CallOptions): Promise<CasePage> =>
    call({ method: 'GET', path: `/admin/cases${queryOf(query)}`, ...options }),
  /** A report that is upheld takes the link down, a review that is upheld clears it. */
  decide: (number: string, body: CaseDecision, options?: CallOptions): Promise<Case> =>
    call({ method: 'POST', path: `/admin/cases/${encodeURIComponent(number)}/decision`, body, ...options }),
  /** A page of the audit log; `next` is `before` of the page after it. */
  audit: (query: AuditQuery = {}, options?: CallOptions): Promise<AuditPage> =>
    call({ method: 'GET', path: `/admin/audit${queryOf(query)}`, ...options }),
  /** The threat feeds, with their age and errors. */
  feeds: (options?: CallOptions): Promise<ThreatFeedList> => call({ method: 'GET', path: '/admin/feeds', ...options }),
});
