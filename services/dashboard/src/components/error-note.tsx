import { ApiError, OFFLINE } from '../api.ts';
import { asTime } from '../language.ts';
import { fill, words } from '../words.ts';
import { Note } from './note.tsx';

interface ErrorNoteProps {
  readonly error: Error | null;
  readonly fields?: readonly string[];
  /** True if the request may have taken effect although no answer came. */
  readonly isAction?: boolean;
}

/** Shows nothing if one of `fields` shows the problem itself. */
export function ErrorNote({ error, fields = [], isAction = false }: ErrorNoteProps) {
  if (error === null) return null;
  const refused = error instanceof ApiError ? error : undefined;
  if (refused !== undefined && fields.some((field) => field in refused.details)) return null;
  return (
    <Note variant="bad" icon="bad" role="alert">
      <ErrorText error={error} />
      {isAction && refused?.outcomeUnknown && ` ${words.action.unknown}`}
      {refused?.errorId !== undefined && ` ${fill(words.errorId, { id: refused.errorId })}`}
    </Note>
  );
}

function ErrorText({ error }: { error: Error }) {
  if (!(error instanceof ApiError)) return words.failed;
  if (error.code === OFFLINE) return words.action.offline;
  if (error.status === 0) return words.offline;
  const { quota } = error;
  if (error.status === 429 && quota !== undefined) {
    const at = quota.resetAt.toISOString();
    const minutes = Math.max(1, Math.ceil((quota.resetAt.getTime() - Date.now()) / 60_000));
    return (
      <>
        <b>
          {quota.remaining === 0
            ? fill(words.quota.out, { limit: quota.limit })
            : fill(words.quota.few, { remaining: quota.remaining })}
        </b>{' '}
        {fill(words.quota.more, { at: asTime(at), minutes })}
      </>
    );
  }
  return <span lang="en">{error.message}</span>;
}
