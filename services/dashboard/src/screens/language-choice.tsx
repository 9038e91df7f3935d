import { type ReactNode, useId } from 'react';
import { chooseLanguage, chosenLanguage, LANGUAGES } from '../language.ts';
import { words } from '../words.ts';

/** Before the page is painted, a line of index.html applies what is stored. */
const THEME = 'theme';

interface ChoiceCardProps {
  readonly title: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  /** The options. */
  readonly children: ReactNode;
}

function ChoiceCard({ title, value, onChoose, children }: ChoiceCardProps) {
  const id = useId();
  return (
    <section className="card pad">
      <h2>
        <label htmlFor={id}>{title}</label>
      </h2>
      <div className="form">
        <select className="in" id={id} defaultValue={value} onChange={(event) => onChoose(event.currentTarget.value)}>
          {children}
        </select>
      </div>
    </section>
  );
}

export function ThemeChoice() {
  const choose = (theme: string) => {
    localStorage.setItem(THEME, theme);
    document.documentElement.dataset.theme = theme;
  };
  return (
    <ChoiceCard title={words.settings.theme} value={localStorage.getItem(THEME) ?? ''} onChoose={choose}>
      {(['', 'light', 'dark'] as const).map((theme) => (
        <option key={theme} value={theme}>
          {words.settings.themes[theme || 'system']}
        </option>
      ))}
    </ChoiceCard>
  );
}

export function LanguageChoice() {
  return (
    <ChoiceCard title={words.settings.language} value={chosenLanguage ?? ''} onChoose={chooseLanguage}>
      <option value="">{words.settings.languageOfBrowser}</option>
      {LANGUAGES.map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </ChoiceCard>
  );
}
