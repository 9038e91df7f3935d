import type { ReactNode } from 'react';
import { FormDialog, type FormDialogProps } from './form-dialog.tsx';

interface ConfirmDialogProps<T> extends Omit<FormDialogProps<T>, 'fields' | 'send' | 'onSent' | 'children'> {
  readonly why: ReactNode;
  readonly cancelLabel: string;
  readonly run: () => Promise<T>;
  /** Called after `onClose`. */
  readonly onDone: (done: T) => void;
}

export const ConfirmDialog = <T,>({ why, isFinal = true, run, onDone, ...dialog }: ConfirmDialogProps<T>) => (
  <FormDialog {...dialog} isFinal={isFinal} fields={[]} send={run} onSent={onDone}>
    {() => <p>{why}</p>}
  </FormDialog>
);
