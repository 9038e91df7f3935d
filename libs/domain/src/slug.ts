/** The rules for slugs are in docs/contract.md (Slugs). */
import { DomainError } from './errors.ts';

/** Without `0`, `O`, `I` and `l`, which look alike. The 58 characters allow 58^7 = 2.2e12 slugs. */
export const SLUG_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const GENERATED_SLUG_LENGTH = 7;
export const CUSTOM_SLUG_MIN = 3;
export const CUSTOM_SLUG_MAX = 50;

/** The shape of a slug, as a part of a regular expression. */
export const SLUG_SHAPE = '[A-Za-z0-9][A-Za-z0-9_-]{2,49}';
export const SLUG = new RegExp(`^${SLUG_SHAPE}$`);

/** The redirector answers these paths itself, or visitors would take them for official pages. In lower case. */
const RESERVED = new Set(
  `about abuse account accounts admin administrator analytics api app apps asset assets auth billing blog bulk cdn
   clicks contact css dashboard docs download favicon favicon.ico feedback files graphql health healthcheck healthz
   help home images img index internal js legal link links livez login logout mail mcp metrics new null oauth
   openapi password ping postmaster preview privacy public readyz register report reports reset review robots
   robots.txt root scan search security security.txt settings setup sign-in sign-out sign-up signin signout signup
   sitemap sitemap.xml static status support system terms undefined user users v1 v2 webmaster well-known www`.split(
    /\s+/,
  ),
);

/** Returns whether a path can be a slug. Other paths never reach a store. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/**
 * People and programs copy spaces, punctuation and symbols together with an address. A letter or digit of any script,
 * `_` or `-` may belong to another slug, and so may a mark (`\p{M}`) on the last letter.
 */
const COPIED_WITH_OTHERS = new RegExp(`^[/\\s]*(${SLUG_SHAPE})(?!\\p{M})([^\\p{L}\\p{N}_-]{1,32})?$`, 'u');

/** Reads the decoded path of a short link, without its query. `ending` is what people copied together with the slug. */
export function slugOfPath(path: string): { readonly slug: string; readonly ending: string } | undefined {
  const [, slug, ending = ''] = COPIED_WITH_OTHERS.exec(path) ?? [];
  return slug === undefined ? undefined : { slug, ending };
}

export function customSlugProblem(slug: string): string | undefined {
  if (slug.length < CUSTOM_SLUG_MIN || slug.length > CUSTOM_SLUG_MAX) {
    return `must have ${CUSTOM_SLUG_MIN} to ${CUSTOM_SLUG_MAX} characters`;
  }
  if (!SLUG.test(slug)) return 'must contain only letters, digits, "_" and "-", and begin with a letter or digit';
  if (RESERVED.has(slug.toLowerCase())) return 'is reserved';
  return undefined;
}

/** A slug is never reused, so every slug that a link ever had is taken (docs/contract.md, States and transitions). */
export function slugsTaken(slugs: readonly string[]): DomainError {
  const message = slugs.length === 1 ? `The slug "${slugs[0]}" is taken.` : `${slugs.length} slugs are taken.`;
  return new DomainError('slug_taken', message, { details: { taken_slugs: slugs } });
}

/**
 * `randomBytes` must be cryptographically secure. Bytes from 232 (58 * 4) up are discarded, so that every character is
 * equally likely.
 */
export function generateSlug(randomBytes: (size: number) => Uint8Array): string {
  const fair = 256 - (256 % SLUG_ALPHABET.length);
  let slug = '';
  while (slug.length < GENERATED_SLUG_LENGTH) {
    for (const byte of randomBytes(GENERATED_SLUG_LENGTH * 2)) {
      if (byte < fair && slug.length < GENERATED_SLUG_LENGTH) slug += SLUG_ALPHABET[byte % SLUG_ALPHABET.length];
    }
  }
  return slug;
}
