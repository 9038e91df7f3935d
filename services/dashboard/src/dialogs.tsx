/** The dialogs of more than one screen. */
import { type PropsWithChildren, type ReactNode, useId, useState } from 'react';
import { useAction } from './action.ts';
import { ApiError } from './api.ts';
import { Button, CopyButton, Dialog, ErrorNote, Icon, onForm } from './parts.tsx';
import { words } from './words.ts';

/** What became of a request whose answer was lost: as it was answered, or what to say, as the answer cannot be read again. */
export type Outcome<T> = { readonly answer: T } | { readonly lost: string };

export interface FormDialogProps<T> {
  readonly title: string;
  /** On the button that sends. */
  readonly act: string;
  /** On the button that does not; "Cancel" unless it is given. */
  readonly keep?: string;
  readonly isFinal?: boolean;
  /** Those that show what is wrong with them themselves. */
  readonly fields: readonly string[];
  readonly send: (form: HTMLFormElement) => Promise<T>;
  /** Reads what became of it, where no answer came; undefined: it was not done. */
  readonly lookUp?: (form: HTMLFormElement) => Promise<Outcome<T> | undefined>;
  /** After `onClose`. */
  readonly onSent: (sent: T) => void;
  readonly onClose: () => void;
  readonly children: (error: Error | null) => ReactNode;
}

/**
 * Without an answer, whether it was done. Where nobody knows, `look` looks again, if there is a way: with the page as it was
 * when it was sent, since a later one may show what came of it.
 */
type Doubt<T> = 'looking' | 'not-done' | { readonly lost: string } | { readonly look: (() => Promise<T>) | undefined };

/** What is on its way can be taken back no more: until its end there is no button, and no Esc, that seems to. */
export function FormDialog<T>(props: FormDialogProps<T>) {
  const { title, act, keep = words.cancel, isFinal = false, fields, send, lookUp, onSent, onClose, children } = props;
  const id = useId();
  const [doubt, setDoubt] = useState<Doubt<T>>();
  const sent = useAction({
    mutationFn: (run: () => Promise<T>) => run(),
    onSuccess: (answer) => {
      onClose();
      onSent(answer);
    },
  });
  const { isPending, error } = sent;
  const unknown = typeof doubt === 'object' && 'look' in doubt ? doubt : undefined;
  const lost = typeof doubt === 'object' && 'lost' in doubt ? doubt.lost : undefined;
  const isOver = lost !== undefined || (unknown !== undefined && unknown.look === undefined);
  const look = async (form: HTMLFormElement, cause: unknown): Promise<T> => {
    setDoubt('looking');
    const again = { look: lookUp && (() => look(form, cause)) };
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
      if (cause instanceof ApiError && cause.outcomeUnknown) return look(form, cause);
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
            {isPending && (doubt === 'looking' ? words.action.looking : words.action.onItsWay)}
          </span>
          {!isPending && <Button onClick={onClose}>{isOver || unknown !== undefined ? words.close : keep}</Button>}
          {!isOver && (
            <Button
              type="submit"
              form={id}
              look={isFinal && unknown === undefined ? 'danger-solid' : 'primary'}
              isOff={isPending}
            >
              {unknown === undefined ? act : words.action.look}
            </Button>
          )}
        </>
      }
    >
      <form
        id={id}
        className="field"
        onSubmit={onForm((form) => !isOver && sent.mutate(unknown?.look ?? (() => submit(form))))}
      >
        {children(error)}
        <ErrorNote error={error} fields={fields} />
        {doubt !== undefined && doubt !== 'looking' && (
          <p className="note bad" role="alert">
            <Icon name="bad" />
            <span>{lost ?? (unknown === undefined ? words.action.notDone : words.action.unknown)}</span>
          </p>
        )}
      </form>
    </Dialog>
  );
}

interface ConfirmDialogProps<T> extends Omit<FormDialogProps<T>, 'fields' | 'send' | 'onSent' | 'children'> {
  readonly why: ReactNode;
  /** The harmless choice, where the focus begins. */
  readonly keep: string;
  readonly run: () => Promise<T>;
  /** After `onClose`. */
  readonly onDone: (done: T) => void;
}

export const ConfirmDialog = <T,>({ why, isFinal = true, run, onDone, ...dialog }: ConfirmDialogProps<T>) => (
  <FormDialog {...dialog} isFinal={isFinal} fields={[]} send={run} onSent={onDone}>
    {() => <p>{why}</p>}
  </FormDialog>
);

interface ShownOnceProps {
  readonly title: string;
  readonly why: string;
  /** It is in the state of the screen and nowhere else. */
  readonly secret: string;
  /** Said when it is copied. */
  readonly copied: string;
  readonly stored: string;
  readonly onClose: () => void;
}

/** Esc does not lose it. */
export function ShownOnce({
  title,
  why,
  secret,
  copied,
  stored,
  onClose,
  children,
}: PropsWithChildren<ShownOnceProps>) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title={title}
      onClose={isStored ? onClose : undefined}
      foot={
        <>
          <label className="check grow">
            <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
            <span>{stored}</span>
          </label>
          <Button look="primary" isOff={!isStored} onClick={() => onClose()}>
            {words.keys.done}
          </Button>
        </>
      }
    >
      <p>{why}</p>
      <div className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={words.keys.copy} said={copied} />
      </div>
      {children}
    </Dialog>
  );
}
