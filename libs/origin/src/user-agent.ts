import type { Device } from '@waypost/domain';
import Bowser from 'bowser';

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

const nameIn = (names: ReadonlySet<string>, name: string) => (names.has(name) ? name : UNKNOWN);

/**
 * Names from the library's lists, whatever the header says; a bot has no browser. Never throws. It costs 15 us, so the caller bounds the
 * length and may keep results. Devices are measured on public collections of browsers (decision 0056).
 */
export function readUserAgent(userAgent: string): { readonly device: Device; readonly browser: string } {
  const parser = parserOf(userAgent);
  if (parser === undefined) return { device: 'desktop', browser: UNKNOWN };
  const platform = parser.getPlatformType();
  const browser = platform === 'bot' ? UNKNOWN : nameIn(BROWSERS, parser.getBrowserName());
  return { device: deviceOf(userAgent, platform), browser };
}

/** The operating system, from the library's list. */
export function readSystem(userAgent: string): string {
  return nameIn(SYSTEMS, parserOf(userAgent)?.getOSName() ?? '');
}

/** The library throws on an empty text. With `true` it looks only for what is asked. */
const parserOf = (userAgent: string) => (userAgent.trim() === '' ? undefined : Bowser.getParser(userAgent, true));

const COMPUTER = /Chromebook|\(PC;/;
/** `-W09` is a Huawei with Wi-Fi alone, `KFTT` a Kindle Fire, `SM-T` a Samsung. A Coolpad is a phone. */
const TABLET =
  /\b(?:[ai]Pad|Tablet|Kindle|KF[A-Z]{2,5})\b|\b(?:SM-[TXP]|GT-P|GT-N8|LG-V|TB-?)\d|-W\d\d\b|(?<!Cool)(?:tab|pad)(?![a-z])/i;
const OLD_PHONE =
  /MIDP|CLDC|WAP|UP\.Browser|MAUI|BREW|DoCoMo|KDDI|NetFront|\biPh\d|Lumia|PalmSource|Maemo|webOS\/|BlackBerry/i;

function deviceOf(userAgent: string, platform: string | undefined): Device {
  if (platform === 'tv' || COMPUTER.test(userAgent)) return 'desktop';
  if (/Android|\bAdr /.test(userAgent)) {
    if (TABLET.test(userAgent)) return 'tablet';
    // Browsers leave out "Mobile" on a tablet. Apps without a browser's words never have it, and most are on phones.
    return /Mobile/.test(userAgent) || !/Safari/.test(userAgent) ? 'mobile' : 'tablet';
  }
  if (platform === 'mobile' || platform === 'tablet') return platform;
  return OLD_PHONE.test(userAgent) ? 'mobile' : 'desktop';
}
