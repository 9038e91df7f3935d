import { useEffect, useRef } from 'react';

export function useShortcut(key: string, action: () => void) {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const from = event.target;
      if (event.key.toLowerCase() !== key || event.metaKey || event.ctrlKey || event.altKey) return;
      if (from instanceof Element && from.matches('input, textarea, select')) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [key]);
}
