import { useEffect, useId, useRef, useState } from 'react';
import { Icon, useShortcut } from './parts.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (search: string) => void;
}

/** Asks a moment after the last key; `/` comes here. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const sent = useRef(value);
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (value === sent.current) return;
    // The address changed by another way: back, or the filters cleared.
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      onChange(sent.current);
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  useShortcut('/', () => own.current?.focus());
  return (
    <div className="search">
      <Icon name="search" />
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <input
        ref={own}
        className="in"
        id={id}
        type="search"
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus */}
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
