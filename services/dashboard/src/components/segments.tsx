import { number } from '../language.ts';

interface SegmentsProps<T extends string | number> {
  readonly label: string;
  readonly variant?: string;
  readonly options: readonly (readonly [T, string, (number | undefined)?])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Segments<T extends string | number>({
  label,
  variant = '',
  options,
  value,
  onChange,
}: SegmentsProps<T>) {
  return (
    <fieldset className={`seg ${variant}`} aria-label={label}>
      {options.map(([each, text, count]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => onChange(each)}>
          {text}
          {count !== undefined && <b className="num">{number(count)}</b>}
        </button>
      ))}
    </fieldset>
  );
}
