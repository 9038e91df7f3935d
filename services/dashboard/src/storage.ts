/** What this browser keeps for the person. A browser that blocks cookies and storage throws at each access. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * Null removes the value. Returns false if the browser keeps nothing or has no room: the choice lasts until the page is
 * left.
 */
export function store(key: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Keeps a value for this tab, to be taken once. */
export function leave(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {}
}

export function take(key: string): string | null {
  try {
    const value = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return value;
  } catch {
    return null;
  }
}
