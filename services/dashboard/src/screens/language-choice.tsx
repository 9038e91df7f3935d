import { useId } from 'react';
import { chooseLanguage, chosenLanguage, LANGUAGES } from '../language.ts';
import { words } from '../words.ts';

/** Before the page is painted, a line of index.html applies what is stored. */
const THEME = 'theme';

export function ThemeChoice() {
  const id = useId();
  const choose = (theme: string) => {
    localStorage.setItem(THEME, theme);
    document.documentElement.dataset.theme = theme;
  };
  return (
    <section className="card pad">
      <h2>
        <label htmlFor={id}>{words.settings.theme}</label>
      </h2>
      <div className="form">
        <select
          className="in"
          id={id}
          defaultValue={localStorage.getItem(THEME) ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {(['', 'light', 'dark'] as const).map((theme) => (
            <option key={theme} value={theme}>
              {words.settings.themes[theme || 'system']}
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}

export function LanguageChoice() {
  const id = useId();
  return (
    <section className="card pad">
      <h2>
        <label htmlFor={id}>{words.settings.language}</label>
      </h2>
      <div className="form">
        <select
          className="in"
          id={id}
          defaultValue={chosenLanguage ?? ''}
          onChange={(event) => chooseLanguage(event.currentTarget.value)}
        >
          <option value="">{words.settings.languageOfBrowser}</option>
          {LANGUAGES.map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}
