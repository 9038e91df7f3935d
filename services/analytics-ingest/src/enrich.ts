import type { ClickEvent, Device, EnrichedClick } from '@waypost/domain';
import { memo } from '@waypost/resilience';
import Bowser from 'bowser';
import { isbot } from 'isbot';

/** The two libraries cost 15 us per user agent, and visitors share a few thousand of them. */
const MEMO_SIZE = 5_000;
const MAX_TEXT = 512;

/** Reduces the hostile texts of a click to the few names that analytics count. It never throws. */
export function enricher(): (click: ClickEvent) => EnrichedClick {
  const agentOf = memo(readAgent, MEMO_SIZE);
  const hostOf = memo(readHost, MEMO_SIZE);
  return (click) => ({
    ...agentOf(click.user_agent.slice(0, MAX_TEXT)),
    id: click.id,
    accountId: click.account_id,
    slug: click.slug,
    at: click.at,
    visitor: click.visitor,
    previousVisitor: click.previous_visitor,
    country: click.country,
    referrer: hostOf(click.referrer.slice(0, MAX_TEXT)),
  });
}

interface Agent {
  readonly device: Device;
  readonly browser: string;
  readonly isBot: boolean;
}

/** Only names of the library's list: for other browsers it returns any text before a slash in the header. */
const BROWSERS: ReadonlySet<string> = new Set(
  Object.entries(Bowser.BROWSER_MAP)
    .filter(([alias]) => alias !== 'generic')
    .map(([, name]) => name),
);
const UNKNOWN_BROWSER = 'Unknown';

function readAgent(userAgent: string): Agent {
  const isBot = isbot(userAgent);
  // The library throws on an empty text.
  if (userAgent.trim() === '') return { device: 'desktop', browser: UNKNOWN_BROWSER, isBot };
  const { browser, platform } = Bowser.parse(userAgent);
  return {
    device: platform.type === 'mobile' || platform.type === 'tablet' ? platform.type : 'desktop',
    browser: browser.name !== undefined && BROWSERS.has(browser.name) ? browser.name : UNKNOWN_BROWSER,
    isBot,
  };
}

/** Apps name themselves in the header as `android-app://<package>`. */
const SCHEMES = new Set(['http:', 'https:', 'android-app:', 'ios-app:']);
const DIRECT = 'direct';

/** Host name in lower case without `www.`; `direct` when there is none. */
function readHost(referrer: string): string {
  const url = URL.parse(referrer);
  if (url === null || !SCHEMES.has(url.protocol)) return DIRECT;
  const host = url.hostname
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.$/, '');
  return host === '' || host.length > 253 ? DIRECT : host;
}
