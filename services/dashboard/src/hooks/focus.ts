import { useEffect } from 'react';

/**
 * When the focused element is removed, the browser drops the focus. This hook then moves it to the rest of the row, the
 * next row, the previous row, the dialog or the heading.
 */
export function useFocusKept() {
  useEffect(() => {
    let focused: Element | undefined;
    let places: readonly (Element | null | undefined)[] = [];
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      focused = target;
      const row = target.closest('tbody tr, li');
      places = [row, row?.nextElementSibling, row?.previousElementSibling, target.closest('dialog')];
    };
    const moveFocus = () => {
      if (document.activeElement !== document.body || focused?.isConnected !== false) return;
      const place = places.find((each) => each?.isConnected);
      const next = place?.querySelector<HTMLElement>('a[href], button') ?? document.querySelector('h1');
      next?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(moveFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    addEventListener('focusin', remember);
    return () => {
      observer.disconnect();
      removeEventListener('focusin', remember);
    };
  }, []);
}
