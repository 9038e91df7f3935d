import { useId } from 'react';
import { Options } from './options.tsx';

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value?: T;
}

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
