import { resultsCsv } from '@waypost/links-file';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { BulkOutcome } from '../api.ts';
import { Badge, Button, download, ErrorNote, Icon, Progress, useAnnounce } from '../components/index.ts';
import { useDrafts } from '../drafts.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asTime } from '../language.ts';
import { fill, words } from '../words.ts';
import { type Job, progressOf } from './job.ts';
import { Bad, Problems, Rows } from './rows.tsx';

const t = words.many;

function useJob(job: Job) {
  const { setJob } = useDrafts();
  const refresh = useRefresh(['links'], ['account']);
  const announce = useAnnounce();
  const { events, isStopping } = useSyncExternalStore(job.subscribe, job.state);
  const now = useMemo(() => progressOf(events), [events]);
  const total = job.list.links.length;
  const isDone = now.outcomes.size === total;
  const run = useAction({
    mutationFn: async () => {
      await job.run();
      announce(fill(t.made, { created: progressOf(job.state().events).created, total }));
    },
    onSettled: () => refresh(),
  });
  const { mutate } = run;
  useEffect(() => {
    if (job.state().events.length === 0) mutate();
    return () => {
      job.stop();
      if (job.isDone) setJob(undefined);
    };
  }, [job, mutate, setJob]);
  useEffect(() => {
    if (isDone) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDone]);
  const last = events.at(-1);
  return { ...now, run, total, isDone, isStopping, until: last?.type === 'waiting' ? last.until : undefined };
}

export function Results({ job, onAnother }: { job: Job; onAnother: () => void }) {
  const { outcomes, created, unanswered, run, total, isDone, isStopping, until } = useJob(job);
  const progress = fill(t.made, { created, total });
  const save = () => download('links-made.csv', [resultsCsv(job.list, outcomes)], 'text/csv');
  return (
    <Rows
      title={t.results}
      note={progress}
      checked={job.list}
      tone={(row) => TONES[outcomes.get(row)?.status ?? 'left']}
      result={(row) => <Result outcome={outcomes.get(row)} />}
    >
      <div className="grow">
        <Progress done={outcomes.size} total={total} label={progress} />
        {!run.isPending && !isDone && (
          <p className="hint" role="status">
            {unanswered > 0
              ? fill(t.unanswered, { count: unanswered })
              : fill(t.rest, { count: total - outcomes.size })}
            {until !== undefined && ` ${fill(t.until, { at: asTime(until) })}`}
          </p>
        )}
        <ErrorNote error={run.error} />
      </div>
      {run.isPending ? (
        <Button isDisabled={isStopping} onClick={() => job.stop()}>
          {words.stop}
        </Button>
      ) : (
        <>
          {outcomes.size > 0 && (
            <Button onClick={save}>
              <Icon name="download" />
              {t.download}
            </Button>
          )}
          <Button variant="primary" onClick={isDone ? onAnother : () => run.mutate()}>
            {isDone ? t.another : t.goOn}
          </Button>
        </>
      )}
    </Rows>
  );
}

const TONES = { refused: 'bad', lost: 'bad', flagged: 'flag', active: '', revoked: '', left: '' } as const;

function Result({ outcome }: { outcome: BulkOutcome | undefined }) {
  if (outcome === undefined) return <span className="hint">{t.waits}</span>;
  const { status, short_url: short, problems } = outcome;
  if (status === 'lost') return <Bad>{t.lost}</Bad>;
  if (status === 'refused') return <Problems problems={problems} />;
  return (
    <Badge status={status === 'flagged' ? status : 'tick'}>
      <span className="cut">{short.replace(/^https?:\/\//, '')}</span>
    </Badge>
  );
}
