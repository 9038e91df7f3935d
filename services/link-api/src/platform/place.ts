/** Where a request came from, and the right to work on it. Only a stranger's request has to wait for that right. */
export interface Place {
  /** The address of the client, of IPv6 its first 64 bits. Limits count by it. */
  readonly network: string;
  /** The same, of IPv6 the first 48 bits, which one subscriber may have. Queues are fair between these. */
  readonly site: string;
  /** True if the address is that of a proxy which is not trusted, so that all its clients have it. */
  readonly shared: boolean;
  /** From now on the request counts for this account, and not for its address. Throws `unavailable`. */
  verified(accountId: string): void;
  /** The credential is not valid, so the next request with it is a stranger's again. */
  refused(): void;
  /** Lets another request work while this one waits for something else. */
  leave(): void;
  /** As `leave`, until `read` has the body. Throws `too_many_attempts` and `unavailable`. */
  whileReading<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** What may be stored of a browser that sent a request: no address, and names from lists. */
export interface Origin {
  readonly browser: string;
  readonly system: string;
  /** `ZZ` if it is unknown. */
  readonly country: string;
}

/** Of a request that does not come from a browser. */
export const UNKNOWN_ORIGIN: Origin = { browser: 'Unknown', system: 'Unknown', country: 'ZZ' };

/** The place of a call that is no HTTP request of its own, such as one of a tool. */
export const NOWHERE: Place = {
  network: '',
  site: '',
  shared: false,
  verified: () => undefined,
  refused: () => undefined,
  leave: () => undefined,
  whileReading: (read) => read(),
};
