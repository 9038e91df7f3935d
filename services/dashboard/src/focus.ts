import { useEffect } from 'react';

/**
 * What has the focus may go, as the button of a key that is deleted does, and the browser's focus with it: then it goes to
 * what is left of the same row, to the row that follows, to the one before, to the dialog, or to the heading.
 */
export function useFocusKept() {
  useEffect(() => {
    let focused: Element | undefined;
    let places: readonly (Element | null | undefined)[] = [];
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      focused = target;
      const row = target.closest('tbody tr, li');
      places = [row, row?.nextElementSibling, row?.previousElementSibling, target.closest('dialog')];
    };
    const look = () => {
      if (document.activeElement !== document.body || focused?.isConnected !== false) return;
      const place = places.find((each) => each?.isConnected);
      const next = place?.querySelector<HTMLElement>('a[href], button') ?? document.querySelector('h1');
      next?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    addEventListener('focusin', note);
    return () => {
      observer.disconnect();
      removeEventListener('focusin', note);
    };
  }, []);
}
