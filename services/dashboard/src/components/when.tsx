import { asDay, asMoment } from '../language.ts';

interface WhenProps {
  readonly at: string;
  /** Without it, the day is shown. */
  readonly as?: (at: string) => string;
  readonly variant?: string;
}

export function When({ at, as = asDay, variant }: WhenProps) {
  return (
    <time className={variant} dateTime={at} title={asMoment(at)}>
      {as(at)}
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
