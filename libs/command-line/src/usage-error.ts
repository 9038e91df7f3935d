/** The program exits with 2 after this error. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
