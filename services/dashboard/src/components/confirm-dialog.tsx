import type { ReactNode } from 'react';
import { FormDialog, type FormDialogProps } from './form-dialog.tsx';

interface ConfirmDialogProps<T> extends Omit<FormDialogProps<T>, 'fields' | 'children'> {
  readonly why: ReactNode;
}

export const ConfirmDialog = <T,>({ why, ...dialog }: ConfirmDialogProps<T>) => (
  <FormDialog isFinal {...dialog}>
    {() => <p>{why}</p>}
  </FormDialog>
);
