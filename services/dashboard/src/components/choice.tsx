import { useId } from 'react';
import { Options } from './options.tsx';

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value?: T;
}

/** For a form, which reads the value when it is sent. */
export function Choice<T extends string>({ name, label, options, value }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select className="in" id={id} name={name} defaultValue={value}>
        <Options of={options} />
      </select>
    </div>
  );
}

interface NumberChoiceProps {
  readonly label: string;
  readonly options: readonly (readonly [number, string])[];
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** In a row of controls. */
export function NumberChoice({ label, options, value, onChange }: NumberChoiceProps) {
  const id = useId();
  return (
    <>
      <label className="lbl" htmlFor={id}>
        {label}
      </label>
      <select
        className="in size"
        id={id}
        value={value}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      >
        <Options of={options} />
      </select>
    </>
  );
}
