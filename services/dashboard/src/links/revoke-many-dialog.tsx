import { useEffect, useRef, useState } from 'react';
import { ApiError, type Link, waypost } from '../api.ts';
import { Button, Dialog, ErrorNote, Field, Note, Progress, useAnnounce } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { list, number } from '../language.ts';
import { fill, words } from '../words.ts';

const t = words.revoke;

interface Outcome {
  readonly revoked: readonly string[];
  readonly not: readonly string[];
}

interface RevokeManyProps {
  readonly links: readonly Link[];
  /** Called for each revoked link, so that only the others stay selected if the user stops. */
  readonly onRevoked: (link: Link) => void;
}

/** Sends one request per link, so that each link has its own answer. */
function useRevokeMany({ links, onRevoked }: RevokeManyProps) {
  const refresh = useRefresh(['links']);
  const announce = useAnnounce();
  const [outcome, setOutcome] = useState<Outcome>({ revoked: [], not: [] });
  const stop = useRef(new AbortController());
  // The last request for this link had no answer. If the link is revoked now, that request revoked it.
  const doubtful = useRef<string>(undefined);
  useEffect(() => () => stop.current.abort(), []);
  const revoke = async (slug: string): Promise<boolean> => {
    try {
      await waypost.revoke(slug);
      return true;
    } catch (error) {
      if (error instanceof ApiError && [400, 404].includes(error.status))
        return slug === doubtful.current && (await waypost.get(slug)).status === 'revoked';
      doubtful.current = slug;
      throw error;
    }
  };
  const run = useAction({
    mutationFn: async () => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      let { revoked, not } = outcome;
      for (const link of links) {
        const { slug } = link;
        if (revoked.includes(slug) || not.includes(slug)) continue;
        if (signal.aborted) return;
        const isRevoked = await revoke(slug);
        if (isRevoked) revoked = [...revoked, slug];
        else not = [...not, slug];
        setOutcome({ revoked, not });
        if (isRevoked) onRevoked(link);
      }
      announce(fill(t.manyDone, { done: revoked.length, total: links.length }));
    },
    onSettled: () => refresh(),
  });
  return { ...outcome, run, stop: () => stop.current.abort() };
}

export function RevokeManyDialog({ links, onClose, onRevoked }: RevokeManyProps & { onClose: () => void }) {
  const [all] = useState(links);
  const [count, setCount] = useState('');
  const { revoked, not, run, stop } = useRevokeMany({ links: all, onRevoked });
  const done = revoked.length + not.length;
  const isReady = count === String(all.length);
  return (
    <Dialog
      title={fill(t.manyTitle, { count: all.length })}
      onClose={run.isPending ? undefined : onClose}
      foot={
        run.isPending ? (
          <Button onClick={stop}>{words.stop}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{done > 0 ? words.close : t.keepThem}</Button>
            {done < all.length && (
              <Button variant="danger-solid" isDisabled={!isReady} onClick={() => run.mutate()}>
                {fill(t.actMany, { count: all.length - done })}
              </Button>
            )}
          </>
        )
      }
    >
      <p>
        {t.manyAtOnce} <b>{t.final}</b>
        {t.neverMany}
      </p>
      {done === 0 && !run.isPending && (
        <Field name="count" label={fill(t.type, { count: all.length })} type="number" onChange={setCount} />
      )}
      {(run.isPending || done > 0) && (
        <Progress
          done={done}
          total={all.length}
          label={fill(t.manyDone, { done: revoked.length, total: all.length })}
        />
      )}
      {not.length > 0 && <Note variant="flag">{fill(t.not, { count: number(not.length), slugs: list(not) })}</Note>}
      <ErrorNote error={run.error} />
    </Dialog>
  );
}
