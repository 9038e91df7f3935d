import { useQuery } from '@tanstack/react-query';
import { UTM_FIELDS, type Utm, utmIn, utmOf } from '@waypost/links-file/utm';
import { useId, useState } from 'react';
import { type Account, waypost } from '../api.ts';
import { Button, Destination, Field, Options, useAnnounce } from '../components/index.ts';
import { list } from '../language.ts';
import { store, stored } from '../storage.ts';
import { fill, words } from '../words.ts';

const t = words.utm;

/** The API returns at most this many links at once. */
const LINKS_READ = 100;

/** The values in the account's newest links that have any, by parameter. */
const useValues = () =>
  useQuery({
    queryKey: ['links', 'utm'],
    queryFn: async ({ signal }) => {
      const { data } = await waypost.list({ search: 'utm_', limit: LINKS_READ }, { signal });
      const all = data.map(({ destination_url: url }) => utmIn(url));
      return (name: keyof Utm) => [...new Set(all.flatMap((utm) => utm[name] ?? []))];
    },
  });

type Presets = Readonly<Record<string, Utm>>;

function presetsIn(key: string): Presets {
  try {
    const all: unknown = JSON.parse(stored(key) ?? '{}');
    return Object.fromEntries(Object.entries(all ?? {}).map(([name, utm]) => [name, utmOf(utm ?? {})]));
  } catch {
    return {};
  }
}

interface UtmBuilderProps {
  readonly account: Account;
  readonly utm: Utm;
  /** The destination with the parameters, empty if there is none yet. */
  readonly built: string;
  readonly replaced: readonly string[];
  readonly onChange: (utm: Utm) => void;
}

export function UtmBuilder({ account, utm, built, replaced, onChange }: UtmBuilderProps) {
  const values = useValues();
  const [choices, setChoices] = useState(0);
  const choose = (preset: Utm) => {
    onChange(preset);
    setChoices(choices + 1);
  };
  return (
    <fieldset className="utm">
      <legend className="lbl">{t.title}</legend>
      <PresetRow account={account} utm={utm} onChoose={choose} />
      {/* A choice replaces what the fields show. */}
      <div className="own-fields" key={choices}>
        {UTM_FIELDS.map((name) => (
          <Field
            key={name}
            name={name}
            label={t.fields[name]}
            hint={t.hints[name]}
            value={utm[name]}
            required={false}
            suggestions={values.data?.(name)}
            onChange={(value) => onChange({ ...utm, [name]: value })}
          />
        ))}
      </div>
      <div className="field">
        <span className="lbl">{t.built}</span>
        {built === '' ? (
          <span className="hint">{t.noUrl}</span>
        ) : (
          <span className="foreign">
            <Destination url={built} full />
          </span>
        )}
        <span className="hint" role="status">
          {replaced.length > 0 && fill(t.replaced, { names: list(replaced) })}
        </span>
      </div>
    </fieldset>
  );
}

interface PresetRowProps {
  readonly account: Account;
  readonly utm: Utm;
  readonly onChoose: (utm: Utm) => void;
}

function PresetRow({ account: { email }, utm, onChoose }: PresetRowProps) {
  const id = useId();
  const announce = useAnnounce();
  const key = `utm ${email}`;
  const [presets, setPresets] = useState(() => presetsIn(key));
  const [chosen, setChosen] = useState('');
  const [name, setName] = useState('');
  const [outcome, setOutcome] = useState('');
  const change = (next: Presets, done: string) => {
    setPresets(next);
    const text = store(key, JSON.stringify(next)) ? done : t.notKept;
    setOutcome(text);
    announce(text);
  };
  const save = () => {
    const own = name.trim();
    if (own === '' || Object.keys(utmOf(utm)).length === 0) return;
    change({ ...presets, ...presetsIn(key), [own]: utmOf(utm) }, fill(t.saved, { name: own }));
    setChosen(own);
  };
  const remove = () => {
    const { [chosen]: _removed, ...others } = { ...presets, ...presetsIn(key) };
    change(others, fill(t.deleted, { name: chosen }));
    setChosen('');
    setName('');
  };
  return (
    <div className="field">
      <div className="row">
        <select
          className="in preset"
          aria-label={t.preset}
          value={chosen}
          onChange={({ currentTarget: { value } }) => {
            setChosen(value);
            setName(value);
            setOutcome('');
            if (value !== '') onChoose(presets[value] ?? {});
          }}
        >
          <option value="">{t.noPreset}</option>
          <Options of={Object.keys(presets).map((each) => [each, each])} />
        </select>
        {chosen !== '' && (
          <Button variant="quiet" onClick={remove}>
            {t.deletePreset}
          </Button>
        )}
        <input
          className="in preset"
          id={id}
          aria-label={t.presetName}
          placeholder={t.presetName}
          autoComplete="off"
          maxLength={50}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Enter would create the link.
            event.preventDefault();
            save();
          }}
        />
        <Button isDisabled={name.trim() === '' || Object.keys(utmOf(utm)).length === 0} onClick={save}>
          {t.savePreset}
        </Button>
      </div>
      {outcome !== '' && <span className="hint">{outcome}</span>}
    </div>
  );
}
