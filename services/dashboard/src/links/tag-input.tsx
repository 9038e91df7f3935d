import { useId, useState } from 'react';
import { ChosenTag, useAnnounce } from '../components/index.ts';
import { fill, words } from '../words.ts';
import { TagSuggestions } from './facets.tsx';

/** The API accepts at most this many tags per link, and characters per tag. */
export const TAGS = 10;
const CHARACTERS = 50;

interface Props {
  readonly label: string;
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
  readonly placeholder?: string;
  readonly hint?: string;
}

/** Enter, a comma or a change of focus adds a tag. Backspace in the empty field removes the last tag. */
export function TagInput({ label, tags, onChange, placeholder = words.tags.add, hint }: Props) {
  const id = useId();
  const announce = useAnnounce();
  const [typed, setTyped] = useState('');
  const add = (text: string) => {
    const fresh = text
      .split(',')
      .map((tag) => [...tag.trim()].slice(0, CHARACTERS).join(''))
      .filter((tag) => tag !== '');
    const next = [...new Set([...tags, ...fresh])].slice(0, TAGS);
    setTyped('');
    if (next.length > tags.length) onChange(next);
  };
  const remove = (tag: string) => {
    onChange(tags.filter((each) => each !== tag));
    announce(fill(words.tags.removed, { tag }));
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="taginput">
        {tags.map((tag) => (
          <ChosenTag key={tag} tag={tag} onRemove={() => remove(tag)} />
        ))}
        <input
          id={id}
          autoComplete="off"
          list={`${id}-tags`}
          placeholder={tags.length < TAGS ? placeholder : fill(words.tags.full, { most: TAGS })}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          value={typed}
          onChange={({ currentTarget: { value } }) => (value.includes(',') ? add(value) : setTyped(value))}
          onBlur={() => add(typed)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && typed.trim() !== '') {
              event.preventDefault();
              add(typed);
            }
            const last = tags.at(-1);
            if (event.key === 'Backspace' && typed === '' && last !== undefined) remove(last);
          }}
        />
        <TagSuggestions id={`${id}-tags`} />
      </div>
      {hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
