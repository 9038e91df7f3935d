import type { ReactNode } from 'react';
import type { TakeDown } from '../api.ts';
import { Field, FormDialog, type FormDialogProps } from '../components/index.ts';
import { threat, words } from '../words.ts';

type ThreatType = TakeDown['threat_type'];

const THREATS: readonly ThreatType[] = [
  'phishing',
  'malware',
  'scam',
  'spam',
  'harmful_application',
  'unwanted_software',
  'suspicious',
  'policy_violation',
];
export const threatOptions = THREATS.map((each) => [each, threat(each)] as const);
export const threatOf = (text: string): ThreatType => THREATS.find((each) => each === text) ?? 'suspicious';

interface ReasonDialogProps<T> extends Omit<FormDialogProps<T>, 'fields' | 'children'> {
  readonly hint: string;
  readonly children?: ReactNode;
}

export function ReasonDialog<T>({ hint, children, ...dialog }: ReasonDialogProps<T>) {
  return (
    <FormDialog {...dialog} fields={['reason']}>
      {(error) => (
        <>
          {children}
          <Field
            name="reason"
            label={words.admin.reason}
            hint={hint}
            error={error}
            autoFocus={children === undefined}
          />
        </>
      )}
    </FormDialog>
  );
}
