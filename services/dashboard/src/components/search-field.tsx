import { useEffect, useId, useRef, useState } from 'react';
import { useShortcut } from '../hooks/shortcut.ts';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (search: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  const sent = useRef(value);
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (value === sent.current) return;
    // The URL has changed in another way: the user went back or cleared the filters.
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
  useShortcut('/', () => element.current?.focus());
  return (
    <div className="search">
      <Icon name="search" />
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <input
        ref={element}
        className="in"
        id={id}
        type="search"
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd cannot have the focus */}
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
