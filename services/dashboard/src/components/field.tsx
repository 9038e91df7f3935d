import { useEffect, useId, useRef } from 'react';
import { ApiError } from '../api.ts';
import { problem } from '../words.ts';

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
  error = null,
  problem,
  required = true,
  autoFocus,
  onChange,
}: FieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  const text = error instanceof ApiError ? error.details[name] : undefined;
  useEffect(() => {
    if (text !== undefined || autoFocus) element.current?.focus();
  }, [text, autoFocus]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={element}
        className="in"
        id={id}
        name={name}
        type={type}
        defaultValue={value}
        readOnly={isFixed}
        autoComplete={autoComplete}
        required={required}
        aria-invalid={text !== undefined || problem !== undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        onChange={onChange && ((event) => onChange(event.currentTarget.value))}
      />
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <span className="err" id={`${id}-error`}>
        {text !== undefined ? <Problem label={label} text={String(text)} /> : problem}
      </span>
    </div>
  );
}
