import type { Account } from '../api.ts';
import { asTime } from '../language.ts';
import { Head } from '../parts.tsx';
import { fill, words } from '../words.ts';

export function Usage({ account }: { account: Account }) {
  const { limit, used, resets_at: resetsAt } = account.quota;
  const left = Math.max(0, limit - used);
  return (
    <>
      <Head title={words.usage.title} />
      <section className="card pad">
        <h2>{words.usage.hour}</h2>
        <p className="num-xl">
          {fill(words.left, { left })} <span>{fill(words.usage.of, { limit })}</span>
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: browsers style a meter each in its own way */}
        <span
          className="big"
          role="meter"
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-label={fill(words.usage.meter, { used, limit })}
        >
          <i style={{ width: `${limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}%` }} />
        </span>
        <p className="spread hint">
          <span>{fill(words.usage.used, { used })}</span>
          {used > 0 && <span>{fill(words.usage.resets, { at: asTime(resetsAt) })}</span>}
        </p>
        <p className="note lead-p">{words.usage.note}</p>
      </section>
    </>
  );
}
