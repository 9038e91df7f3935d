import type { AccountCredentials } from '../api.ts';
import { regionName } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.security;

type Origin = Pick<AccountCredentials['sessions'][number], 'browser' | 'system' | 'country'>;

const named = (name: string) => (name === 'Unknown' ? t.unknown : name);

export const browserOf = ({ browser, system }: Origin) =>
  browser === 'Unknown' && system === 'Unknown'
    ? t.unknownBrowser
    : fill(t.browser, { browser: named(browser), system: named(system) });

/** Empty if it is unknown, as in a network of one's own. */
export const placeOf = ({ country }: Origin) => (country === 'ZZ' ? [] : [regionName(country)]);
