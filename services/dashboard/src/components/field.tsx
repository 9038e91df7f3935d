import { type ChangeEvent, useEffect, useId, useRef } from 'react';
import { ApiError } from '../api.ts';
import { problem, words } from '../words.ts';
import { Options } from './options.tsx';

export function Problem({ label, text }: { label: string; text: string }) {
  return (
    problem(label, text) ?? (
      <>
        {label} <span lang="en">{text}.</span>
      </>
    )
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date' | 'datetime-local' | 'email' | 'number' | 'password' | 'text' | 'url';
  readonly value?: string | undefined;
  readonly isFixed?: boolean;
  readonly autoComplete?: string;
  readonly hint?: string;
  /** The field has this many lines. */
  readonly rows?: number;
  readonly suggestions?: readonly string[] | undefined;
  readonly error?: Error | null;
  readonly problem?: string | undefined;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly onChange?: (value: string) => void;
}

export function Field({
  name,
  label,
  type = 'text',
  value,
  isFixed = false,
  autoComplete = 'off',
  hint,
  rows,
  suggestions = [],
  error = null,
  problem,
  required = true,
  autoFocus,
  onChange,
}: FieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const text = error instanceof ApiError ? error.details[name] : undefined;
  useEffect(() => {
    if (text !== undefined || autoFocus) element.current?.focus();
  }, [text, autoFocus]);
  const props = {
    ref: element,
    className: 'in',
    id,
    name,
    defaultValue: value,
    readOnly: isFixed,
    autoComplete,
    required,
    'aria-invalid': text !== undefined || problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-error`,
    onChange:
      onChange &&
      (({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(currentTarget.value)),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...props}
          type={type}
          // Without it, a browser accepts years of six digits.
          max={type === 'datetime-local' ? '9999-12-31T23:59' : undefined}
          list={suggestions.length > 0 ? `${id}-list` : undefined}
        />
      ) : (
        <textarea {...props} rows={rows} />
      )}
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          <Options of={suggestions.map((each) => [each, each])} />
        </datalist>
      )}
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <span className="err" id={`${id}-error`}>
        {text !== undefined ? <Problem label={label} text={String(text)} /> : problem}
      </span>
    </div>
  );
}

/** The password that the account has. */
export const Password = (field: Partial<FieldProps>) => (
  <Field
    name="current_password"
    label={words.settings.current}
    type="password"
    autoComplete="current-password"
    {...field}
  />
);
