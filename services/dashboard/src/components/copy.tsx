import { useEffect, useState } from 'react';
import { fill, words } from '../words.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { useAnnounce } from './live-region.tsx';

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Some browsers refuse access to the clipboard, and all do so if the page is not on https. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // While a dialog is open, only text inside it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

function useCopy(text: string, announcement: string) {
  const announce = useAnnounce();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1_200);
    return () => clearTimeout(timer);
  }, [done]);
  const copyText = async () => {
    if (!(await copy(text))) return;
    setDone(true);
    announce(announcement);
  };
  return { done, copyText };
}

export function CopyIcon({ text, what }: { text: string; what: string }) {
  const { done, copyText } = useCopy(text, fill(words.copied, { what }));
  return (
    <button
      type="button"
      className={done ? 'icon ok' : 'icon'}
      aria-label={fill(words.copy, { what })}
      onClick={copyText}
    >
      <Icon name={done ? 'tick' : 'copy'} />
    </button>
  );
}

export function CopyButton({ text, label, announcement }: { text: string; label: string; announcement: string }) {
  const { done, copyText } = useCopy(text, announcement);
  return (
    <Button variant="primary" onClick={copyText}>
      <Icon name={done ? 'tick' : 'copy'} />
      {label}
    </Button>
  );
}
