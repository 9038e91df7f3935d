/** URLhaus and PhishTank: they have no look-up by hash, so they see the whole URL. One request for each. */
import { type Calls, isObject, ProviderAway } from './call.ts';
import type { ProviderFinding, ThreatProvider } from './provider.ts';

interface Deps {
  readonly calls: Calls;
  readonly key: string;
}

type Ask = (url: string, signal: AbortSignal) => Promise<ProviderFinding | null>;

/** https://urlhaus.abuse.ch/api/: errors are in the body, not in the status. */
export const urlhaus = ({ calls, key }: Deps): ThreatProvider =>
  byUrl('urlhaus', calls, (url, signal) =>
    calls.call(
      { path: '/v1/url/', headers: { 'Auth-Key': key }, form: { url } },
      ({ query_status: status, url: listed }) => {
        if (status === 'no_results') return null;
        // What it does not hold to be this very URL is no finding.
        if (status === 'ok' && typeof listed === 'string') return listed === url ? found('malware', url) : null;
        throw new ProviderAway('answered something else');
      },
      signal,
    ),
  );

/** https://phishtank.org/api_info.php: only what people have verified counts. */
export const phishtank = ({ calls, key }: Deps): ThreatProvider =>
  byUrl('phishtank', calls, (url, signal) =>
    calls.call(
      { path: '/checkurl/', form: { url, format: 'json', app_key: key } },
      ({ results }) => {
        if (!isObject(results) || typeof results.in_database !== 'boolean')
          throw new ProviderAway('answered something else');
        const isPhish = results.in_database && results.verified === true && results.valid === true;
        return isPhish && results.url === url ? found('phishing', url) : null;
      },
      signal,
    ),
  );

const found = (threatType: ProviderFinding['threatType'], url: string): ProviderFinding => ({
  threatType,
  evidence: url,
});

function byUrl(name: string, calls: Calls, ask: Ask): ThreatProvider {
  return {
    name,
    status: calls.status,
    async lookUp(urls, signal) {
      const results = new Map<string, ProviderFinding | null>();
      for (const url of urls) {
        try {
          // What follows a `#` never leaves a browser either.
          results.set(url, await ask(url.split('#', 1)[0]!, signal));
        } catch (error) {
          if (!(error instanceof ProviderAway)) throw error;
          break;
        }
      }
      return results;
    },
  };
}
