/** Archives, AMP, translators and mail wrappers: pages whose address contains another one without its scheme. */
import { CARRIERS } from '../../data.ts';
import { registrableDomain } from './hosts.ts';

interface Carrier {
  readonly path: string;
  readonly place: string;
}

const carriers = new Map<string, Carrier[]>();
for (const [page, place] of CARRIERS) {
  const slash = page.indexOf('/');
  const [host, path] = slash < 0 ? [page, '/'] : [page.slice(0, slash), page.slice(slash)];
  carriers.set(host, [...(carriers.get(host) ?? []), { path, place }]);
}
/** `google.` of the carrier `google.*`: Google under any suffix. */
const ANY_SUFFIX = [...carriers.keys()].filter((host) => host.endsWith('.*')).map((host) => host.slice(0, -1));
const MOST_LABELS = 6;

/** The texts in this URL that start with a host or have one as a path segment. */
export function carriedBy(url: URL): string[] {
  const texts: string[] = [];
  for (const host of namesOf(url.hostname)) {
    for (const carrier of carriers.get(host) ?? []) {
      if (url.pathname.startsWith(carrier.path)) texts.push(...textsOf(url, host, carrier));
    }
  }
  return texts;
}

function textsOf(url: URL, host: string, { path, place }: Carrier): string[] {
  if (place === 'path') return [url.pathname.slice(path.length) + url.search];
  if (place === 'host') return [translated(url, host)];
  if (place === 'proofpoint') return parametersOf(url, ['u']).map(proofpointText);
  return parametersOf(url, place.split(','));
}

/** The host and its nearest parents, and the same as `google.*` if a carrier has such a name. */
function* namesOf(hostname: string): Generator<string> {
  let at = hostname.length;
  for (let labels = 0; labels < MOST_LABELS && at >= 0; labels++) {
    at = hostname.lastIndexOf('.', at - 1);
    yield hostname.slice(at + 1);
    if (at === 0) break;
  }
  for (const start of ANY_SUFFIX) {
    if (!`.${hostname}`.includes(`.${start}`)) continue;
    const domain = registrableDomain(hostname);
    const name = domain && hostname.slice(0, hostname.length - domain.length + domain.indexOf('.') + 1);
    if (name && `.${name}`.endsWith(`.${start}`)) yield `${start}*`;
  }
}

/** Returns the values with their escapes. */
function parametersOf({ search }: URL, names: readonly string[]): string[] {
  return search
    .slice(1)
    .split('&')
    .flatMap((pair) => names.filter((name) => pair.startsWith(`${name}=`)).map((name) => pair.slice(name.length + 1)));
}

/** `my--shop-example-com.translate.goog` shows my-shop.example.com. */
function translated({ hostname, pathname, search }: URL, below: string): string {
  const name = hostname.slice(0, -below.length - 1);
  const host = name.replace(/--?/g, (dashes) => (dashes === '--' ? '-' : '.'));
  return `http://${host}${pathname}${search}`;
}

/** `http-3A__host_path`: a dash instead of the percent sign, an underscore instead of the slash. */
function proofpointText(text: string): string {
  return text.replaceAll('_', '/').replace(/-(?=[0-9a-f]{2})/gi, '%');
}
