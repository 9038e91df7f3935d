import { useState } from 'react';
import type { LinkEdit } from '../api.ts';
import { Button, Field, useAnnounce } from '../components/index.ts';
import { asMoment, inDays, zoneAt } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.about;

/** The fragment of a link's address that puts the focus into its form. */
export const EDIT = '#edit';

type About = Required<Pick<LinkEdit, 'title' | 'note' | 'ends_at'>>;

interface AboutFieldsProps {
  readonly about: About;
  readonly hasEnd?: boolean;
  readonly hasFocus?: boolean;
  readonly error: Error | null;
  readonly onChange: (change: Partial<About>) => void;
}

export function AboutFields({ about, hasEnd = true, hasFocus = false, error, onChange }: AboutFieldsProps) {
  return (
    <>
      <Field
        name="title"
        label={t.title}
        value={about.title ?? ''}
        required={false}
        autoFocus={hasFocus}
        error={error}
        onChange={(title) => onChange({ title: title.trim() || null })}
      />
      <Field
        name="note"
        label={t.note}
        rows={3}
        value={about.note ?? ''}
        required={false}
        error={error}
        onChange={(note) => onChange({ note: note.trim() || null })}
      />
      {hasEnd && <EndField endsAt={about.ends_at} error={error} onChange={(end) => onChange({ ends_at: end })} />}
    </>
  );
}

const DAYS = [1, 7, 14, 30, 90] as const;

interface EndFieldProps {
  readonly endsAt: string | null;
  readonly error: Error | null;
  readonly onChange: (endsAt: string | null) => void;
}

function EndField({ endsAt, error, onChange }: EndFieldProps) {
  const announce = useAnnounce();
  const [choices, setChoices] = useState(0);
  const choose = (end: string | null) => {
    onChange(end);
    setChoices(choices + 1);
    announce(end === null ? t.never : asMoment(end));
  };
  return (
    <div className="field">
      <Field
        // A choice replaces what the field shows.
        key={choices}
        name="ends_at"
        type="datetime-local"
        label={t.ends}
        hint={fill(t.endsHint, { zone: zoneAt(new Date(endsAt ?? Date.now())) })}
        value={localOf(endsAt)}
        required={false}
        error={error}
        onChange={(time) => onChange(time === '' ? null : new Date(time).toISOString())}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that repeats the label */}
      <div className="choices" role="group" aria-label={t.choices}>
        {DAYS.map((days) => (
          <Button key={days} onClick={() => choose(endInDays(days))}>
            {inDays(days)}
          </Button>
        ))}
        {endsAt !== null && <Button onClick={() => choose(null)}>{t.never}</Button>}
      </div>
    </div>
  );
}

/** The same time of day, also across a change to summer time. */
function endInDays(days: number): string {
  const end = new Date();
  end.setDate(end.getDate() + days);
  end.setSeconds(0, 0);
  return end.toISOString();
}

/** An input of the browser has no zone: it shows the time of this place. */
function localOf(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
