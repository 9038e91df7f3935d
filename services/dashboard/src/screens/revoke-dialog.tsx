import { useEffect, useRef, useState } from 'react';
import { useAction } from '../action.ts';
import { ApiError, type Link, once, waypost } from '../api.ts';
import { ConfirmDialog } from '../dialogs.tsx';
import { list, number } from '../language.ts';
import { Button, Dialog, ErrorNote, Progress, useSay } from '../parts.tsx';
import { fill, words } from '../words.ts';

interface Props {
  readonly slug: string;
  readonly short: string;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

export function RevokeDialog({ slug, short, onClose, onRevoked }: Props) {
  const say = useSay();
  return (
    <ConfirmDialog
      title={fill(words.revoke.title, { short })}
      why={
        <>
          {words.revoke.atOnce} <b>{words.revoke.final}</b>
          {words.revoke.never}
        </>
      }
      keep={words.revoke.keep}
      act={words.revoke.act}
      run={() => once.revoke(slug)}
      lookUp={async () => {
        const link = await once.get(slug);
        return link.status === 'revoked' ? { answer: link } : undefined;
      }}
      onDone={() => {
        say(words.revoke.done);
        onRevoked();
      }}
      onClose={onClose}
    />
  );
}

interface Outcome {
  readonly revoked: readonly string[];
  readonly not: readonly string[];
}

interface ManyProps {
  readonly links: readonly Link[];
  readonly onClose: () => void;
  /** Told of each link, so that a stop in the middle leaves only the others selected. */
  readonly onRevoked: (slug: string) => void;
}

/** One by one, so that each answer is its own; what could not be revoked is named. */
export function RevokeManyDialog({ links, onClose, onRevoked }: ManyProps) {
  const say = useSay();
  const [all] = useState(links);
  const [typed, setTyped] = useState('');
  const [outcome, setOutcome] = useState<Outcome>({ revoked: [], not: [] });
  const stop = useRef(new AbortController());
  // An earlier try of it has no answer: what is revoked now, it revoked.
  const doubtful = useRef<string>(undefined);
  useEffect(() => () => stop.current.abort(), []);
  const run = useAction({
    mutationFn: async () => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      let now = outcome;
      for (const { slug } of all) {
        if (now.revoked.includes(slug) || now.not.includes(slug)) continue;
        if (signal.aborted) return;
        const refused = await waypost.revoke(slug).then(
          () => false,
          async (error: unknown) => {
            if (!(error instanceof ApiError && [400, 404].includes(error.status))) {
              doubtful.current = slug;
              throw error;
            }
            return slug !== doubtful.current || (await waypost.get(slug)).status !== 'revoked';
          },
        );
        now = refused ? { ...now, not: [...now.not, slug] } : { ...now, revoked: [...now.revoked, slug] };
        setOutcome(now);
        if (!refused) onRevoked(slug);
      }
      say(fill(words.revoke.manyDone, { done: now.revoked.length, total: all.length }));
    },
  });
  const { revoked, not } = outcome;
  const done = revoked.length + not.length;
  const finished = done === all.length;
  const ready = typed.trim() === String(all.length);
  return (
    <Dialog
      title={fill(words.revoke.manyTitle, { count: all.length })}
      onClose={run.isPending ? undefined : onClose}
      foot={
        run.isPending ? (
          <Button onClick={() => stop.current.abort()}>{words.stop}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{done > 0 ? words.close : words.revoke.keepThem}</Button>
            {!finished && (
              <Button look="danger-solid" isOff={!ready} onClick={() => run.mutate()}>
                {fill(words.revoke.actMany, { count: all.length - done })}
              </Button>
            )}
          </>
        )
      }
    >
      <p>
        {words.revoke.manyAtOnce} <b>{words.revoke.final}</b>
        {words.revoke.neverMany}
      </p>
      {done === 0 && !run.isPending && (
        <div className="field">
          <label htmlFor="revoke-count">{fill(words.revoke.type, { count: all.length })}</label>
          <input
            className="in short"
            id="revoke-count"
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
      )}
      {(run.isPending || done > 0) && (
        <Progress
          done={done}
          total={all.length}
          label={fill(words.revoke.manyDone, { done: revoked.length, total: all.length })}
        />
      )}
      {not.length > 0 && (
        <p className="note flag">
          <span>{fill(words.revoke.not, { count: number(not.length), slugs: list(not) })}</span>
        </p>
      )}
      <ErrorNote error={run.error} />
    </Dialog>
  );
}
