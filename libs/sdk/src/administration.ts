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
export interface Administration {
  accounts(query?: AccountsQuery, options?: CallOptions): Promise<AccountPage>;
  /** Not tried again where it may have been made. */
  createAccount(account: NewAccount, options?: CallOptions): Promise<CreatedAccount>;
  /** How many links an account may make per hour; null: the default. */
  setLimit(email: string, creationsPerHour: number | null, options?: CallOptions): Promise<AccountLimit>;
  /** Its keys and sessions are refused from the next request on; its links stay as they are. */
  suspend(email: string, reason: string, options?: CallOptions): Promise<AccountDetails>;
  resume(email: string, options?: CallOptions): Promise<AccountDetails>;
  /** For good: its links stop, and everything about it but their slugs is erased. */
  deleteAccount(email: string, options?: CallOptions): Promise<DeletedAccount>;
  keys(email: string, options?: CallOptions): Promise<ApiKeyList>;
  /** Not tried again where it may have been made. */
  createKey(email: string, key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey>;
  deleteKey(email: string, id: string, options?: CallOptions): Promise<DeletedApiKey>;
  /** A link of any account, with its owner and why it is what it is. */
  link(slug: string, options?: CallOptions): Promise<InspectedLink>;
  /** Flags a link of any account; its owner reads the reason. */
  takeDown(slug: string, takeDown: TakeDown, options?: CallOptions): Promise<Link>;
  /** Decides about a flagged link of any account. */
  review(slug: string, review: Review, options?: CallOptions): Promise<Link>;
  /** Reports, and requests to review a flag; `next` is `before` of the page after it. */
  cases(query?: CasesQuery, options?: CallOptions): Promise<CasePage>;
  /** A report that is upheld takes the link down, a review that is upheld clears it. */
  decide(number: string, decision: CaseDecision, options?: CallOptions): Promise<Case>;
  /** A page of the audit log; `next` is `before` of the page after it. */
  audit(query?: AuditQuery, options?: CallOptions): Promise<AuditPage>;
  /** The threat feeds, with their age and errors. */
  feeds(options?: CallOptions): Promise<ThreatFeedList>;
}

export function administration(call: <T>(call: Call) => Promise<T>): Administration {
  return {
    accounts: (query = {}, options) => call({ method: 'GET', path: `/admin/accounts${queryOf(query)}`, ...options }),
    createAccount: (account, options) =>
      call({ method: 'POST', path: '/admin/accounts', body: account, once: true, ...options }),
    setLimit: (email, creationsPerHour, options) => {
      const body = { creations_per_hour: creationsPerHour };
      return call({ method: 'PUT', path: `${accountPath(email)}/limit`, body, ...options });
    },
    suspend: (email, reason, options) =>
      call({ method: 'PUT', path: `${accountPath(email)}/suspension`, body: { reason }, ...options }),
    resume: (email, options) => call({ method: 'DELETE', path: `${accountPath(email)}/suspension`, ...options }),
    deleteAccount: (email, options) => call({ method: 'DELETE', path: accountPath(email), ...options }),
    keys: (email, options) => call({ method: 'GET', path: `${accountPath(email)}/keys`, ...options }),
    createKey: (email, key, options) =>
      call({ method: 'POST', path: `${accountPath(email)}/keys`, body: key, once: true, ...options }),
    deleteKey: (email, id, options) =>
      call({ method: 'DELETE', path: `${accountPath(email)}/keys/${encodeURIComponent(id)}`, ...options }),
    link: async (slug, options) => call({ method: 'GET', path: `/admin${linkPath(slug)}`, ...options }),
    takeDown: async (slug, body, options) =>
      call({ method: 'POST', path: `/admin${linkPath(slug)}/take-down`, body, ...options }),
    review: async (slug, body, options) =>
      call({ method: 'POST', path: `/admin${linkPath(slug)}/review`, body, ...options }),
    cases: (query = {}, options) => call({ method: 'GET', path: `/admin/cases${queryOf(query)}`, ...options }),
    decide: (number, body, options) =>
      call({ method: 'POST', path: `/admin/cases/${encodeURIComponent(number)}/decision`, body, ...options }),
    audit: (query = {}, options) => call({ method: 'GET', path: `/admin/audit${queryOf(query)}`, ...options }),
    feeds: (options) => call({ method: 'GET', path: '/admin/feeds', ...options }),
  };
}
