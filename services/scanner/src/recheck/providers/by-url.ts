/** URLhaus and PhishTank have no look-up by hash, so they see the whole URL. */
import type { ThreatType } from '@waypost/domain';
import { type Calls, isObject, ProviderUnavailable } from './call.ts';
import type { ProviderFinding, ThreatProvider } from './provider.ts';

interface Deps {
  readonly calls: Calls;
  readonly key: string;
}

/** https://urlhaus.abuse.ch/api/: the body has the errors, not the status. */
export const urlhaus = ({ calls, key }: Deps): ThreatProvider =>
  byUrl('urlhaus', calls, (url, signal) =>
    calls.call(
      { path: '/v1/url/', headers: { 'Auth-Key': key }, form: { url } },
      ({ query_status: status, url: listed }) => {
        if (status === 'no_results') return null;
        // A listing of another URL proves nothing.
        if (status === 'ok' && typeof listed === 'string') return listed === url ? finding('malware', url) : null;
        throw new ProviderUnavailable('returned an unexpected format');
      },
      signal,
    ),
  );

/** https://phishtank.org/api_info.php. Only listings that people verified count. */
export const phishtank = ({ calls, key }: Deps): ThreatProvider =>
  byUrl('phishtank', calls, (url, signal) =>
    calls.call(
      { path: '/checkurl/', form: { url, format: 'json', app_key: key } },
      ({ results }) => {
        if (!isObject(results) || typeof results.in_database !== 'boolean')
          throw new ProviderUnavailable('returned an unexpected format');
        const isPhish = results.in_database && results.verified === true && results.valid === true;
        return isPhish && results.url === url ? finding('phishing', url) : null;
      },
      signal,
    ),
  );

const finding = (threatType: ThreatType, evidence: string): ProviderFinding => ({ threatType, evidence });

function byUrl(
  name: string,
  calls: Calls,
  lookUp: (url: string, signal: AbortSignal) => Promise<ProviderFinding | null>,
): ThreatProvider {
  return {
    name,
    status: calls.status,
    async lookUp(urls, signal) {
      const results = new Map<string, ProviderFinding | null>();
      for (const url of urls) {
        try {
          // A browser does not send the fragment either.
          results.set(url, await lookUp(url.split('#', 1)[0]!, signal));
        } catch (error) {
          if (!(error instanceof ProviderUnavailable)) throw error;
          break;
        }
      }
      return results;
    },
  };
}
