import { type ReactNode, useId } from 'react';
import { Card, Options } from '../components/index.ts';
import { chooseLanguage, chosenLanguage, LANGUAGES } from '../language.ts';
import { store, stored } from '../storage.ts';
import { words } from '../words.ts';

const t = words.settings;

/** A script in index.html applies the stored theme before the first paint. */
const THEME = 'theme';

interface ChoiceCardProps {
  readonly title: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly children: ReactNode;
}

function ChoiceCard({ title, value, onChoose, children }: ChoiceCardProps) {
  const id = useId();
  return (
    <Card title={<label htmlFor={id}>{title}</label>}>
      <div className="form">
        <select className="in" id={id} defaultValue={value} onChange={(event) => onChoose(event.currentTarget.value)}>
          {children}
        </select>
      </div>
    </Card>
  );
}

export function ThemeChoice() {
  const choose = (theme: string) => {
    store(THEME, theme);
    document.documentElement.dataset.theme = theme;
  };
  return (
    <ChoiceCard title={t.theme} value={stored(THEME) ?? ''} onChoose={choose}>
      <Options of={(['', 'light', 'dark'] as const).map((theme) => [theme, t.themes[theme || 'system']])} />
    </ChoiceCard>
  );
}

export function LanguageChoice() {
  return (
    <ChoiceCard title={t.language} value={chosenLanguage ?? ''} onChoose={chooseLanguage}>
      <option value="">{t.languageOfBrowser}</option>
      {LANGUAGES.map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </ChoiceCard>
  );
}
