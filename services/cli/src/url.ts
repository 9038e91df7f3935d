/** Undefined if the text is no absolute URL. Node 18.0 has no `URL.canParse` and no `URL.parse`. */
export function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
