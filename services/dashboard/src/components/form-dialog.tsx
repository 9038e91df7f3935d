import { type ReactNode, useId, useState } from 'react';
import { ApiError } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';
import { words } from '../words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { onForm } from './form.ts';
import { Note } from './note.tsx';

const t = words.action;

/** The result of a request whose answer was lost: the answer itself, or a text if it cannot be read again. */
export type Outcome<T> = { readonly answer: T } | { readonly lost: string };

/** Use this in `lookUp` for a deletion: the deletion was done if `read` now fails with this error. */
export const isGone = (read: Promise<unknown>, isRefusal: (error: Error) => boolean) =>
  read.then(
    () => undefined,
    (error: Error) => {
      if (isRefusal(error)) return { answer: undefined };
      throw error;
    },
  );

export interface FormDialogProps<T> {
  readonly title: string;
  readonly submitLabel: string;
  readonly cancelLabel?: string;
  readonly isFinal?: boolean;
  /** Nothing can be sent yet; the content says why. */
  readonly isBlocked?: boolean;
  /** These fields show their own problems, so the dialog does not repeat them. */
  readonly fields?: readonly string[];
  readonly send: (form: HTMLFormElement) => Promise<T>;
  /** Called when no answer came. Resolves to undefined if the action was not done. */
  readonly lookUp?: (form: HTMLFormElement) => Promise<Outcome<T> | undefined>;
  /** Called after `onClose`. */
  readonly onSent: (sent: T) => void;
  readonly onClose: () => void;
  readonly children: (error: Error | null) => ReactNode;
}

/**
 * The state after a lost answer. `recheck` looks up the result again with the values of the first look-up: a later
 * page may already show the result.
 */
type Doubt<T> =
  | 'looking'
  | 'not-done'
  | { readonly lost: string }
  | { readonly recheck: (() => Promise<T>) | undefined };

/** A request cannot be cancelled once it is sent. Until it ends, there is no cancel button and Esc does nothing. */
export function FormDialog<T>({
  title,
  submitLabel,
  cancelLabel = words.cancel,
  isFinal = false,
  isBlocked = false,
  fields = [],
  send,
  lookUp,
  onSent,
  onClose,
  children,
}: FormDialogProps<T>) {
  const id = useId();
  const [doubt, setDoubt] = useState<Doubt<T>>();
  const action = useAction({
    mutationFn: (run: () => Promise<T>) => run(),
    onSuccess: (answer) => {
      onClose();
      onSent(answer);
    },
  });
  const { isPending, error } = action;
  const unknown = typeof doubt === 'object' && 'recheck' in doubt ? doubt : undefined;
  const lost = typeof doubt === 'object' && 'lost' in doubt ? doubt.lost : undefined;
  const isOver = lost !== undefined || (unknown !== undefined && unknown.recheck === undefined);
  const recheck = async (form: HTMLFormElement, cause: unknown): Promise<T> => {
    setDoubt('looking');
    const again = { recheck: lookUp && (() => recheck(form, cause)) };
    const outcome = lookUp === undefined ? again : await lookUp(form).catch(() => again);
    if (typeof outcome === 'object' && 'answer' in outcome) return outcome.answer;
    setDoubt(outcome ?? 'not-done');
    throw cause;
  };
  const submit = async (form: HTMLFormElement): Promise<T> => {
    setDoubt(undefined);
    try {
      return await send(form);
    } catch (cause) {
      if (cause instanceof ApiError && cause.outcomeUnknown) return recheck(form, cause);
      throw cause;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={isPending ? undefined : onClose}
      foot={
        <>
          <span className="grow" role="status">
            {isPending && (doubt === 'looking' ? t.looking : t.onItsWay)}
          </span>
          {!isPending && (
            <Button onClick={onClose}>{isOver || unknown !== undefined ? words.close : cancelLabel}</Button>
          )}
          {!isOver && (
            <Button
              type="submit"
              form={id}
              variant={isFinal && unknown === undefined ? 'danger-solid' : 'primary'}
              isDisabled={isPending || isBlocked}
            >
              {unknown === undefined ? submitLabel : t.look}
            </Button>
          )}
        </>
      }
    >
      <form
        id={id}
        className="field"
        onSubmit={onForm((form) => !isOver && !isBlocked && action.mutate(unknown?.recheck ?? (() => submit(form))))}
      >
        {children(error)}
        <ErrorNote error={error} fields={fields} />
        {doubt !== undefined && doubt !== 'looking' && (
          <Note variant="bad" icon="bad" role="alert">
            {lost ?? (unknown === undefined ? t.notDone : t.unknown)}
          </Note>
        )}
      </form>
    </Dialog>
  );
}
