/** The dialogs of more than one screen. */
import { useMutation } from '@tanstack/react-query';
import { type PropsWithChildren, type ReactNode, useId, useState } from 'react';
import { Button, CopyButton, Dialog, ErrorNote, onForm } from './parts.tsx';
import { words } from './words.ts';

export interface FormDialogProps<T> {
  readonly title: string;
  /** On the button that sends. */
  readonly act: string;
  readonly isFinal?: boolean;
  /** Those that show what is wrong with them themselves. */
  readonly fields: readonly string[];
  readonly send: (form: HTMLFormElement) => Promise<T>;
  /** After `onClose`. */
  readonly onSent: (sent: T) => void;
  readonly onClose: () => void;
  readonly children: (error: Error | null) => ReactNode;
}

export function FormDialog<T>(props: FormDialogProps<T>) {
  const { title, act, isFinal = false, fields, send, onSent, onClose, children } = props;
  const id = useId();
  const sent = useMutation({
    mutationFn: send,
    onSuccess: (answer) => {
      onClose();
      onSent(answer);
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" form={id} look={isFinal ? 'danger-solid' : 'primary'} isOff={sent.isPending}>
            {act}
          </Button>
        </>
      }
    >
      <form id={id} className="field" onSubmit={onForm((form) => !sent.isPending && sent.mutate(form))}>
        {children(sent.error)}
        <ErrorNote error={sent.error} fields={fields} />
      </form>
    </Dialog>
  );
}

interface ConfirmDialogProps<T> extends Pick<FormDialogProps<T>, 'title' | 'act' | 'isFinal' | 'onClose'> {
  readonly why: ReactNode;
  /** The harmless choice, where the focus begins. */
  readonly keep: string;
  readonly run: () => Promise<T>;
  /** After `onClose`. */
  readonly onDone: (done: T) => void;
}

export function ConfirmDialog<T>(props: ConfirmDialogProps<T>) {
  const { title, why, keep, act, isFinal = true, run, onDone, onClose } = props;
  const done = useMutation({
    mutationFn: run,
    onSuccess: (answer) => {
      onClose();
      onDone(answer);
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{keep}</Button>
          <Button look={isFinal ? 'danger-solid' : 'primary'} isOff={done.isPending} onClick={() => done.mutate()}>
            {act}
          </Button>
        </>
      }
    >
      <p>{why}</p>
      <ErrorNote error={done.error} />
    </Dialog>
  );
}

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
