import { useId } from 'react';
import { chooseLanguage, chosenLanguage, LANGUAGES } from '../language.ts';
import { words } from '../words.ts';

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
