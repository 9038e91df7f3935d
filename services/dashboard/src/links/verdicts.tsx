import type { LinkScan } from '../api.ts';
import { Foreign } from '../components/index.ts';
import { asMoment } from '../language.ts';
import { labelOf, threat, words } from '../words.ts';

type Verdict = LinkScan['history'][number];

export function Reasons({ reasons }: { reasons: Verdict['reasons'] }) {
  return reasons.map(({ rule, evidence }) => (
    <span className="hint below" key={`${rule} ${evidence}`}>
      <b>
        <Foreign>{rule}</Foreign>
      </b>
      {': '}
      <Foreign>{evidence}</Foreign>
    </span>
  ));
}

export function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul>
      {verdicts.map(({ at, source, outcome, threat_type: type, reasons }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may be alike, and none moves
        <li key={i}>
          <time dateTime={at}>{asMoment(at)}</time>:{' '}
          {labelOf(words.scan.outcomes, source === 'take_down' ? source : outcome)}
          {type !== null && ` (${threat(type)})`}
          <Reasons reasons={reasons} />
        </li>
      ))}
    </ul>
  );
}
