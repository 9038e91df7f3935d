import type { Language } from '@waypost/html';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';
import type { Words } from './words.ts';

export type { Words } from './words.ts';

export const WORDS: Readonly<Record<Language, Words>> = { en, de, fr, es, pt, ja, ar };

/** Replaces each `{name}` by its value. */
export function fill(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
