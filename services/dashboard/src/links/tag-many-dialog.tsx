import { useState } from 'react';
import { type Link, once } from '../api.ts';
import { FormDialog, Note } from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { list } from '../language.ts';
import { fill, words } from '../words.ts';
import { TAGS, TagInput } from './tag-input.tsx';

const t = words.tagMany;

interface TagManyProps {
  readonly links: readonly Link[];
  readonly onClose: () => void;
  readonly onTagged: () => void;
}

/** Adds and removes tags of all selected links, and says before how many change. */
export function TagManyDialog({ links, onClose, onTagged }: TagManyProps) {
  const refresh = useRefresh(['links']);
  const [add, setAdd] = useState<readonly string[]>([]);
  const [remove, setRemove] = useState<readonly string[]>([]);
  const after = (tags: readonly string[]) => [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])];
  const changing = links.filter(({ tags }) => JSON.stringify(after(tags)) !== JSON.stringify(tags));
  const full = links.filter(({ tags }) => after(tags).length > TAGS);
  return (
    <FormDialog
      title={fill(t.title, { count: links.length })}
      submitLabel={fill(t.act, { count: changing.length })}
      isBlocked={changing.length === 0 || full.length > 0}
      send={() => once.tag({ slugs: links.map(({ slug }) => slug), add, remove })}
      onSent={({ total_changed: count }) => {
        onTagged();
        void refresh(fill(t.done, { count }));
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <TagInput label={t.add} tags={add} onChange={(tags) => setAdd(tags.filter((tag) => !remove.includes(tag)))} />
          <TagInput
            label={t.remove}
            placeholder={t.removeOne}
            tags={remove}
            onChange={(tags) => setRemove(tags.filter((tag) => !add.includes(tag)))}
          />
          <p role="status">{fill(t.preview, { changing: changing.length, total: links.length })}</p>
          {full.length > 0 && (
            <Note variant="flag">{fill(t.full, { most: TAGS, slugs: list(full.map(({ slug }) => slug)) })}</Note>
          )}
        </>
      )}
    </FormDialog>
  );
}
