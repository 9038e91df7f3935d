import type { ReactNode } from 'react';
import type { TakeDown } from '../api.ts';
import { Choice, Field, FormDialog, type FormDialogProps, textIn } from '../components/index.ts';
import { threat, words } from '../words.ts';

type ThreatType = TakeDown['threat_type'];

/** Each type has a label in the words, in the order of the menu. Without one this does not compile. */
const labels: Readonly<Record<ThreatType, string>> = words.threats;
const THREATS = Object.keys(labels) as ThreatType[];
const OPTIONS = THREATS.map((each) => [each, threat(each)] as const);

const threatOf = (text: string): ThreatType => THREATS.find((each) => each === text) ?? 'suspicious';

export const ThreatChoice = ({ type = 'phishing' }: { type?: string }) => (
  <Choice name="threat_type" label={words.admin.threat} options={OPTIONS} value={threatOf(type)} />
);

/** What the fields of a `ReasonDialog` with a `ThreatChoice` say. */
export const takeDownIn = (form: HTMLFormElement): TakeDown => ({
  threat_type: threatOf(textIn(form, 'threat_type')),
  reason: textIn(form, 'reason'),
});

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
