import { createIsbotFromList, list } from 'isbot';

/** These patterns of the library match browsers of people, and hardly a bot that its other patterns do not match. */
export const MISLEADING: ReadonlySet<string> = new Set([
  '\\b\\w+/1\\.0;', // phones of Samsung, televisions
  '^[^ ]{50,}$',
  'sogou', // its spider has "spider" in its name
  'catch',
  'chromeframe',
  '\\(\\)',
  'java(?!;)', // feature phones: JavaPlatform
]);
/** Java itself, programs that load a page before a person opens it, and scanners of mail. */
const OTHERS = ['\\bjava(?!;|platform)', 'thirdlandingpagefeinfra', '^viber/', 'ms-office', 'barracuda sentinel'];
const namesBot = createIsbotFromList([...list.filter((pattern) => !MISLEADING.has(pattern)), ...OTHERS]);

/** The name of a device or a build, where Android and Windows Phone write it: `Android 7.0; M bot 60 Build/NRD90M`. */
const DEVICE_NAME =
  /(\bAndroid [\d.]+; (?:U; )?(?:[a-z]{2}[-_][a-z]{2}; ?)?|\bIEMobile\/[\d.]+; )(?:[^;()]*Build\/[^;()]*|[^/;()]+)(?:; [^/;()]+(?=\)))?/i;

/** The text is at most a few hundred characters long. Measured on public collections (decision 0056). */
export function isBot(userAgent: string): boolean {
  // UC Browser on iPhones writes a list like `dv(iPh14,2);pr(UCBrowser/11.3.5)`, which is like no other browser.
  return !userAgent.startsWith('dv(') && namesBot(userAgent.replace(DEVICE_NAME, '$1'));
}
