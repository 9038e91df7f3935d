/** The API said no, or could not be asked: exit code 1. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 if there was no answer. */
  readonly status: number;
  /** Field name to description. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly errorId: string | undefined;
  /** Whether the request may have taken effect all the same. */
  readonly outcomeUnknown: boolean;

  constructor(
    message: string,
    more: { status?: number; details?: Record<string, unknown>; errorId?: string; outcomeUnknown?: boolean } = {},
  ) {
    super(message);
    this.status = more.status ?? 0;
    this.details = more.details ?? {};
    this.errorId = more.errorId;
    this.outcomeUnknown = more.outcomeUnknown ?? false;
  }
}
