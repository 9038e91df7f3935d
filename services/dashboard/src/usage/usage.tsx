import type { Account } from '../api.ts';
import { Card, Head, Note } from '../components/index.ts';
import { asTime } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.usage;

export function Usage({ account }: { account: Account }) {
  const { limit, used, resets_at: resetsAt } = account.quota;
  const remaining = Math.max(0, limit - used);
  return (
    <>
      <Head title={t.title} />
      <Card title={t.hour}>
        <p className="num-xl">
          {fill(words.left, { remaining })} <span>{fill(t.of, { limit })}</span>
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: each browser styles a meter in its own way */}
        <span
          className="big"
          role="meter"
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-label={fill(t.meter, { used, limit })}
        >
          <i style={{ width: `${limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}%` }} />
        </span>
        <p className="spread hint">
          <span>{fill(t.used, { used })}</span>
          {used > 0 && <span>{fill(t.resets, { at: asTime(resetsAt) })}</span>}
        </p>
        <Note variant="lead-p">{t.note}</Note>
      </Card>
    </>
  );
}
