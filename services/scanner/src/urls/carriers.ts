/** Archives, AMP, translators and mail wrappers: pages whose address contains another one without its scheme. */
import { memo } from '@waypost/resilience';
import { CARRIERS } from '../data.ts';
import { HOSTS, registrableDomain } from './hosts.ts';

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
/** No carrier has a longer name. */
const MOST_LABELS = 6;

/** The texts in this URL that start with a host or have one as a path segment; usually none. */
export function carriedBy(url: URL): string[] {
  return namesOf(url.hostname).flatMap((host) =>
    (carriers.get(host) ?? [])
      .filter(({ path }) => url.pathname.startsWith(path))
      .flatMap((carrier) => textsOf(url, host, carrier)),
  );
}

function textsOf(url: URL, host: string, { path, place }: Carrier): string[] {
  if (place === 'path') return [url.pathname.slice(path.length) + url.search];
  if (place === 'host') return [translated(url, host)];
  if (place === 'proofpoint') return parametersOf(url, ['u']).map(proofpointText);
  return parametersOf(url, place.split(','));
}

/** The host and its parents; `google.*` for Google under any suffix. */
const namesOf = memo((hostname): readonly string[] => {
  const labels = hostname.split('.').slice(-MOST_LABELS);
  const names = labels.map((_, at) => labels.slice(at).join('.'));
  const domain = registrableDomain(hostname);
  const suffix = domain?.slice(domain.indexOf('.'));
  return suffix === undefined ? names : [...names, ...names.map((name) => name.replace(suffix, '.*'))];
}, HOSTS);

/** Returned as written, with their escapes. */
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
