/** What a link is for and when it ends. It is edited in place, and the last change can be undone. */
import { useState } from 'react';
import { type Link, type LinkEdit, waypost } from '../api.ts';
import { Button, Card, ErrorNote, onForm } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { words } from '../words.ts';
import { AboutFields, EDIT } from './about-fields.tsx';
import { TagInput } from './tag-input.tsx';

const t = words.about;

type Editable = Required<LinkEdit>;
const editableOf = ({ title, note, tags, ends_at }: Link): Editable => ({ title, note, tags, ends_at });

export function About({ link }: { link: Link }) {
  const refresh = useRefresh(['link', link.slug], ['links']);
  const [undo, setUndo] = useState<LinkEdit>();
  const save = useAction({
    mutationFn: async (edit: LinkEdit) => {
      const before = editableOf(link);
      await waypost.update(link.slug, edit);
      const fields = Object.keys(edit) as (keyof Editable)[];
      return Object.fromEntries(fields.map((field) => [field, before[field]]));
    },
    onSuccess: (before) => {
      setUndo(before);
      return refresh(t.saved);
    },
  });
  return (
    <Card title={t.heading}>
      <AboutForm
        key={JSON.stringify(editableOf(link))}
        link={link}
        error={save.error}
        isSaving={save.isPending}
        onSave={save.mutate}
      />
      <ErrorNote error={save.error} fields={['title', 'note', 'ends_at']} />
      {undo !== undefined && (
        <p className="meta">
          <span className="hint">{t.saved}</span>
          <Button variant="quiet" isDisabled={save.isPending} onClick={() => save.mutate(undo)}>
            {t.undo}
          </Button>
        </p>
      )}
    </Card>
  );
}

interface AboutFormProps {
  readonly link: Link;
  readonly error: Error | null;
  readonly isSaving: boolean;
  readonly onSave: (edit: LinkEdit) => void;
}

function AboutForm({ link, error, isSaving, onSave }: AboutFormProps) {
  const before = editableOf(link);
  const [now, setNow] = useState(before);
  const change = (edit: LinkEdit) => setNow((last) => ({ ...last, ...edit }));
  const fields = Object.keys(before) as (keyof Editable)[];
  const changed = fields.filter((field) => JSON.stringify(now[field]) !== JSON.stringify(before[field]));
  const save = () => {
    if (changed.length > 0 && !isSaving) onSave(Object.fromEntries(changed.map((field) => [field, now[field]])));
  };
  return (
    <form className="field" onSubmit={onForm(save)}>
      <AboutFields
        about={now}
        hasEnd={link.status !== 'revoked'}
        hasFocus={location.hash === EDIT}
        error={error}
        onChange={change}
      />
      <TagInput label={words.links.tags} tags={now.tags ?? []} onChange={(tags) => change({ tags })} />
      <Button type="submit" isDisabled={changed.length === 0 || isSaving}>
        {t.save}
      </Button>
    </form>
  );
}
