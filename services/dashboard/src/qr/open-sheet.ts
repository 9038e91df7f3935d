import { navigate } from 'wouter/use-browser-location';
import type { Link } from '../api.ts';
import screens from '../screens.json' with { type: 'json' };

export type SheetLink = Pick<Link, 'slug' | 'title' | 'status'>;

/** The history of the browser keeps the links, so that a reload shows the sheet again. */
export const openSheet = (links: readonly SheetLink[]) =>
  navigate(screens.sheet, { state: links.map(({ slug, title, status }) => ({ slug, title, status })) });
