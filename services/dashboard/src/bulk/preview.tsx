import type { Account } from '../api.ts';
import { Badge, Button } from '../components/index.ts';
import { asTime } from '../language.ts';
import { fill, threat, words } from '../words.ts';
import { type Checked, isBad, type Verdict } from './check-links.ts';
import { Bad, Problems, Rows } from './rows.tsx';

const t = words.many;

interface PreviewProps {
  readonly checked: Checked;
  readonly account: Account;
  readonly onLeaveOut: () => void;
  readonly onCreate: () => void;
}

export function Preview({ checked, account, onLeaveOut, onCreate }: PreviewProps) {
  const { limit, used, resets_at: resetsAt } = account.quota;
  const remaining = Math.max(0, limit - used);
  const bad = checked.verdicts.filter(isBad).length;
  const count = checked.links.length;
  const ready = bad === 0 && count > 0;
  return (
    <Rows
      title={t.preview}
      note={fill(t.nothingYet, { count, remaining })}
      checked={checked}
      result={(row) => <Finding verdict={checked.verdicts[row]!} />}
      tone={(row) => tone(checked.verdicts[row]!)}
    >
      <span className="grow">
        {bad > 0 && (
          <>
            <b>{fill(t.toCorrect, { bad })}</b> <span className="hint">{t.noneYet}</span>
          </>
        )}
        {bad === 0 && count > remaining && <b>{fill(t.needs, { count, remaining, at: asTime(resetsAt) })}</b>}
      </span>
      {bad > 0 && bad < count && <Button onClick={onLeaveOut}>{fill(t.leaveOut, { bad })}</Button>}
      <Button variant="primary" isDisabled={!ready} onClick={() => onCreate()}>
        {fill(t.create, { count })}
      </Button>
    </Rows>
  );
}

const tone = (verdict: Verdict) => (isBad(verdict) ? 'bad' : verdict.threat === undefined ? '' : 'flag');

function Finding({ verdict: { problems, own, threat: type } }: { verdict: Verdict }) {
  if (own !== undefined) return <Bad>{own}</Bad>;
  if (problems.length > 0) return <Problems problems={problems} />;
  if (type !== undefined) return <Badge status="flagged">{fill(t.willBeFlagged, { what: threat(type) })}</Badge>;
  return <Badge status="tick">{t.ready}</Badge>;
}
