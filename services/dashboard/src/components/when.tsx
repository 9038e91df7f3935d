import { asDay, asMoment } from '../language.ts';

export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={asMoment(at)}>
      {asDay(at)}
    </time>
  );
}

export function WhenCell({ at, look = '' }: { at: string; look?: string }) {
  return (
    <td className={`c-when when ${look}`}>
      <When at={at} />
    </td>
  );
}
