/**
 * These codes are part of the domain. HTTP status codes belong to the API
 * (services/link-api/src/platform/http/errors.ts has a row for each code).
 */
export type DomainErrorCode =
  | 'validation_failed'
  | 'link_not_found'
  | 'link_already_revoked'
  | 'link_flagged'
  | 'link_not_flagged'
  | 'slug_taken'
  | 'quota_exceeded'
  | 'batch_exceeds_window'
  | 'idempotency_key_reused'
  | 'idempotency_key_in_use'
  | 'account_not_found'
  | 'account_exists'
  | 'case_not_found'
  | 'case_decided'
  | 'key_not_found'
  | 'too_many_keys'
  | 'credential_not_found'
  | 'credentials_wrong'
  | 'too_many_attempts'
  | 'proof_needed'
  | 'administrator_needed'
  | 'first_run_over'
  | 'webhook_not_found'
  | 'webhook_disabled'
  | 'too_many_webhooks'
  | 'delivery_not_found'
  | 'delivery_pending'
  | 'too_many_passkeys'
  | 'passkey_exists'
  | 'passkey_not_found'
  | 'identity_refused'
  | 'identity_not_found'
  | 'session_not_found'
  | 'device_not_found'
  | 'unavailable';

export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: DomainErrorCode;
  /** The keys are field names, the values describe their problems (`details` in docs/contract.md, Errors). */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /**
   * The caller should wait this many seconds before a retry. Present for `quota_exceeded`, `too_many_attempts`,
   * `idempotency_key_in_use` and `unavailable`.
   */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: DomainErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The database, the scanner or the analytics store cannot answer now. `cause` is for the log, not for the caller. */
export function unavailable(message: string, cause?: unknown, retryAfterSeconds = 5): DomainError {
  return new DomainError('unavailable', message, { retryAfterSeconds, cause });
}

export function accountGone(): DomainError {
  return new DomainError('credentials_wrong', 'This account was deleted.');
}

/** The store did not answer in time, so the change may or may not have happened. */
export function outcomeUnknown(what: string, retry: string, cause: unknown): DomainError {
  return unavailable(`The database did not respond in time. ${what} may still take effect. ${retry}`, cause);
}

/** The store refuses this data. A retry would fail as well. */
export class UnstorableData extends Error {
  override readonly name = 'UnstorableData';
}

export function isUnavailable(error: unknown): boolean {
  return hasCode(error, 'unavailable');
}

export function hasCode(error: unknown, code: DomainErrorCode): boolean {
  return error instanceof DomainError && error.code === code;
}
