import { asDay, asMoment } from '../language.ts';

export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={asMoment(at)}>
      {asDay(at)}
    </time>
  );
}

export function WhenCell({ at, variant = '' }: { at: string; variant?: string }) {
  return (
    <td className={`c-when when ${variant}`}>
      <When at={at} />
    </td>
  );
}
