import { CLICKS, type ClickEvent } from '../../libs/domain/src/index.ts';
import type { Encoded } from '../../libs/ports/src/index.ts';
import { traceparentOfUuid } from '../../libs/telemetry/src/index.ts';
import { BENCH_ACCOUNT, repeatable } from './links.ts';

const DAY_MS = 86_400_000;
const COUNTRIES = ['US', 'DE', 'GB', 'FR', 'ZZ', 'IN', 'BR', 'JP', 'CA', 'IT', 'ES', 'NL', 'PL', 'SE', 'AU'];
const AGENTS = Array.from({ length: 400 }, (_, i) => {
  const chrome = `AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (i % 43)}.0.0.0`;
  return [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`,
    `Mozilla/5.0 (Linux; Android ${9 + (i % 7)}; K) ${chrome} Mobile Safari/537.36`,
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_${i % 7} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.${i % 7} Mobile/15E148 Safari/604.1`,
    `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + (i % 45)}.0) Gecko/20100101 Firefox/${100 + (i % 45)}.0`,
    `Mozilla/5.0 (compatible; Googlebot/2.${i % 9}; +http://www.google.com/bot.html)`,
  ][i % 5]!;
});

/** Returns a source of `clicks` events over 89 days, roughly in order of time. `hot` of them are on one link. */
export function clickSource(of: {
  clicks: number;
  hot: number;
  links: number;
  now: number;
}): () => Encoded<ClickEvent> {
  const next = repeatable();
  const chance = () => next() / 2 ** 32;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
  let count = 0;
  return () => {
    const at = Math.floor(of.now - ((of.clicks - count) / of.clicks) * 89 * DAY_MS - chance() * 3_600_000);
    count++;
    const id = `${hex(at, 12).replace(/^(.{8})/, '$1-')}-7${hex(chance() * 4_096, 3)}-8${hex(chance() * 4_096, 3)}-${hex(count, 12)}`;
    const value = CLICKS.encode({
      v: 2,
      type: 'click.recorded',
      id,
      account_id: BENCH_ACCOUNT,
      slug: chance() < of.hot / of.clicks ? 'hot' : `link-${Math.floor(chance() * of.links)}`,
      at,
      visitor: hex(Math.floor(chance() * 60_000) * 53_687_091, 16),
      country: pick(COUNTRIES),
      user_agent: pick(AGENTS),
      referrer: chance() < 0.3 ? '' : `https://www.site${Math.floor(chance() ** 3 * 300)}.example/page`,
    });
    return { key: id, value, headers: { traceparent: traceparentOfUuid(id) } };
  };
}

const hex = (number: number, digits: number) => Math.floor(number).toString(16).padStart(digits, '0');
