import { useQueryClient } from '@tanstack/react-query';
import { csv, LinksFileError, shownUrl } from '@waypost/links-file';
import { type DragEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useAction } from '../action.ts';
import { type Account, type BulkEvent, waypost } from '../api.ts';
import { type Checked, checkLinks, isBad, MOST_LINKS, type Read, readText, type Verdict } from '../check-links.ts';
import { type BegunJob, kept } from '../draft.ts';
import { asTime } from '../language.ts';
import { Pages } from '../pages.tsx';
import { Button, Check, Crumb, Destination, download, ErrorNote, Head, Icon, Progress, useSay } from '../parts.tsx';
import screens from '../screens.json';
import { TagInput } from '../tag-input.tsx';
import { fill, threat, words } from '../words.ts';

const MOST_BYTES = 8 * 2 ** 20;
const TEMPLATE = csv([
  ['destination_url', 'custom_slug', 'tags'],
  ['https://www.wikipedia.org/', 'wiki', 'docs,reading'],
]);

function read(text: string, tags: readonly string[]): Read | LinksFileError {
  try {
    return readText(text, tags);
  } catch (error) {
    if (error instanceof LinksFileError) return error;
    throw error;
  }
}

export default function Many({ account }: { account: Account }) {
  const queries = useQueryClient();
  const say = useSay();
  const [text, setText] = useState(kept.job?.text ?? kept.draft);
  const [tags, setTags] = useState<readonly string[]>([]);
  const [checked, setChecked] = useState<Checked>();
  const [progress, setProgress] = useState(0);
  const [job, setJob] = useState(kept.job);
  const [unread, setUnread] = useState<string>();
  const found = useMemo(() => read(text, tags), [text, tags]);
  const count = found instanceof LinksFileError ? 0 : found.links.length;
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const change = (next: string) => {
    stop.current.abort();
    setText(next);
    setChecked(undefined);
    setUnread(undefined);
    kept.draft = next;
  };
  const check = useAction({
    mutationFn: async (list: Read) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      setProgress(0);
      try {
        const { quota } = account;
        const left = quota.limit - quota.used;
        const verdicts = await checkLinks(list, { left, signal, onProgress: setProgress });
        setChecked({ ...list, verdicts });
        say(fill(words.many.checked, { bad: verdicts.filter(isBad).length }));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    onError: () => queries.invalidateQueries({ queryKey: ['account'] }),
  });
  const take = async (file: File | undefined) => {
    if (file === undefined || job !== undefined) return;
    try {
      if (file.size > MOST_BYTES) throw new TypeError('too large');
      change(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
    } catch {
      setUnread(fill(words.many.notText, { name: file.name }));
    }
  };
  const problem = unread ?? (found instanceof LinksFileError ? found.message : undefined);
  const tooMany = count > MOST_LINKS;
  const isReady = count > 0 && !tooMany && !check.isPending;
  return (
    <>
      <Crumb href={screens.links} list={words.links.title}>
        {words.many.title}
      </Crumb>
      <Head title={words.many.title}>
        <FileButton onFile={take} />
        <Button look="quiet" onClick={() => download('links-template.csv', [TEMPLATE], 'text/csv')}>
          {words.many.template}
        </Button>
      </Head>
      <div className="many">
        <Typed text={text} isFixed={job !== undefined} problem={problem} onChange={change} onFile={take}>
          {job === undefined && (
            <>
              <TagInput
                label={words.many.tags}
                tags={tags}
                onChange={(next) => {
                  stop.current.abort();
                  setTags(next);
                  setChecked(undefined);
                }}
              />
              {tooMany && <p className="err">{fill(words.many.tooMany, { most: MOST_LINKS })}</p>}
              <ErrorNote error={check.error} />
              {check.isPending ? (
                <>
                  <Progress
                    done={progress}
                    total={count}
                    label={fill(words.many.checking, { done: progress, total: count })}
                  />
                  <Button look="start" onClick={() => stop.current.abort()}>
                    {words.cancel}
                  </Button>
                </>
              ) : (
                <Button
                  look="primary start"
                  isOff={!isReady}
                  onClick={() => !(found instanceof LinksFileError) && check.mutate(found)}
                >
                  {fill(words.many.check, { count })}
                </Button>
              )}
            </>
          )}
        </Typed>
        {job !== undefined ? (
          <Job
            begun={job}
            onAnother={() => {
              setJob(undefined);
              // What was pasted on another screen meanwhile.
              change(kept.draft);
            }}
          />
        ) : (
          checked !== undefined && (
            <Preview
              checked={checked}
              account={account}
              onLeaveOut={() => setChecked(withoutBad(checked))}
              onCreate={() => {
                const begun = { text, list: checked, events: [] };
                kept.draft = '';
                kept.job = begun;
                setJob(begun);
              }}
            />
          )
        )}
      </div>
    </>
  );
}

function withoutBad({ links, places, verdicts }: Checked): Checked {
  const good = <T,>(all: readonly T[]) => all.filter((_each, row) => !isBad(verdicts[row]!));
  return { links: good(links), places: good(places), verdicts: good(verdicts) };
}

function FileButton({ onFile }: { onFile: (file: File | undefined) => void }) {
  const own = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={own}
        type="file"
        hidden
        accept=".csv,.txt,.json,.jsonl,text/*"
        aria-label={words.many.open}
        onChange={(event) => {
          onFile(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button onClick={() => own.current?.click()}>
        <Icon name="upload" />
        {words.many.open}
      </Button>
    </>
  );
}

interface TypedProps {
  readonly text: string;
  readonly isFixed: boolean;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
  readonly children: React.ReactNode;
}

function Typed({ text, isFixed, problem, onChange, onFile, children }: TypedProps) {
  const id = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onFile(event.dataTransfer.files[0]);
  };
  return (
    <section className="card pad form">
      <div className="field">
        <label htmlFor={id}>{words.many.lines}</label>
        <textarea
          className="in"
          id={id}
          rows={14}
          spellCheck={false}
          wrap="off"
          readOnly={isFixed}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => event.dataTransfer.files.length > 0 && drop(event)}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint ${id}-error`}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <span className="hint" id={`${id}-hint`}>
          {words.many.hint}
        </span>
        <span className="err" id={`${id}-error`} lang="en">
          {problem}
        </span>
      </div>
      {children}
    </section>
  );
}

interface PreviewProps {
  readonly checked: Checked;
  readonly account: Account;
  readonly onLeaveOut: () => void;
  readonly onCreate: () => void;
}

function Preview({ checked, account, onLeaveOut, onCreate }: PreviewProps) {
  const { limit, used, resets_at: resetsAt } = account.quota;
  const left = Math.max(0, limit - used);
  const bad = checked.verdicts.filter(isBad).length;
  const count = checked.links.length;
  const ready = bad === 0 && count > 0;
  return (
    <Rows
      title={words.many.preview}
      note={fill(words.many.nothingYet, { count, left })}
      checked={checked}
      isProblem={(row) => isBad(checked.verdicts[row]!)}
      result={(row) => <Finding verdict={checked.verdicts[row]!} />}
      tone={(row) => tone(checked.verdicts[row]!)}
    >
      <span className="grow">
        {bad > 0 && (
          <>
            <b>{fill(words.many.toCorrect, { bad })}</b> <span className="hint">{words.many.noneYet}</span>
          </>
        )}
        {bad === 0 && count > left && <b>{fill(words.many.needs, { count, left, at: asTime(resetsAt) })}</b>}
      </span>
      {bad > 0 && bad < count && <Button onClick={onLeaveOut}>{fill(words.many.leaveOut, { bad })}</Button>}
      <Button look="primary" isOff={!ready} onClick={() => onCreate()}>
        {fill(words.many.create, { count })}
      </Button>
    </Rows>
  );
}

const tone = (verdict: Verdict) => (isBad(verdict) ? 'bad' : verdict.threat === undefined ? '' : 'flag');

function Finding({ verdict: { problems, own, threat: type } }: { verdict: Verdict }) {
  if (own !== undefined) return <Bad>{own}</Bad>;
  if (problems.length > 0) return <Problems problems={problems} />;
  if (type !== undefined)
    return (
      <span className="badge flagged">
        <Icon name="flagged" />
        {fill(words.many.willBeFlagged, { what: threat(type) })}
      </span>
    );
  return (
    <span className="badge">
      <Icon name="tick" />
      {words.many.ready}
    </span>
  );
}

function Bad({ children }: { children: React.ReactNode }) {
  return (
    <span className="err">
      <Icon name="bad" />
      <span>{children}</span>
    </span>
  );
}

/** Of the server: English. */
const Problems = ({ problems }: { problems: readonly string[] }) => (
  <Bad>
    <span lang="en">{problems.join('; ')}</span>
  </Bad>
);

interface RowsProps {
  readonly title: string;
  readonly note: string;
  readonly checked: Checked;
  readonly isProblem: (row: number) => boolean;
  readonly result: (row: number) => React.ReactNode;
  readonly tone: (row: number) => string;
  /** What is to be done. */
  readonly children: React.ReactNode;
}

const ROWS_ON_A_PAGE = 100;

function Rows({ title, note, checked: { links, places }, isProblem, result, tone: toneOf, children }: RowsProps) {
  const id = useId();
  const [asked, setPage] = useState(1);
  const [onlyBad, setOnlyBad] = useState(false);
  const bad = links.flatMap((_link, row) => (isProblem(row) ? [row] : []));
  const shown = onlyBad && bad.length > 0 ? bad : links.map((_link, row) => row);
  const pages = Math.max(1, Math.ceil(shown.length / ROWS_ON_A_PAGE));
  const page = Math.min(asked, pages);
  return (
    <section className="card" aria-labelledby={id}>
      <div className="rows-head">
        <h2 id={id}>{title}</h2>
        {bad.length > 0 && (
          <Check
            label={words.many.onlyBad}
            checked={onlyBad}
            onChange={(event) => setOnlyBad(event.currentTarget.checked)}
          />
        )}
        <span className="hint">{note}</span>
      </div>
      <table className="tbl rows">
        <thead>
          <tr>
            <th className="r-n">{words.many.row}</th>
            <th>{words.many.destination}</th>
            <th className="r-slug">{words.many.address}</th>
            <th className="r-res">{words.many.result}</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice((page - 1) * ROWS_ON_A_PAGE, page * ROWS_ON_A_PAGE).map((row) => (
            <tr className={toneOf(row)} key={row}>
              <td className="r-n">{places[row]?.replace(/^\D+/, '')}</td>
              <td>
                <Destination url={shownUrl(links[row])} />
              </td>
              <td className="r-slug">
                <bdi className="cut">{links[row]?.custom_slug ?? words.many.random}</bdi>
              </td>
              <td className="r-res">{result(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <div className="pad">
          <Pages page={page} pages={pages} total={shown.length} size={ROWS_ON_A_PAGE} onPage={setPage} />
        </div>
      )}
      <div className="act">{children}</div>
    </section>
  );
}

/** By row: its short URL, or what is wrong with it. */
interface Made {
  readonly short?: string;
  readonly flagged?: boolean;
  readonly problems?: readonly string[];
}

function outcomes(events: readonly BulkEvent[]): { made: ReadonlyMap<number, Made>; unanswered: number } {
  const made = new Map<number, Made>();
  const sent = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'waiting') continue;
    if (event.type === 'sending') {
      sent.set(event.key, event.rows.length);
      continue;
    }
    sent.delete(event.key);
    if (event.type === 'created') {
      for (const { row, link, short_url: short } of event.links)
        made.set(row, { short, flagged: link.status === 'flagged' });
    }
    if (event.type === 'refused') for (const { row, problems } of event.rows) made.set(row, { problems });
  }
  return { made, unanswered: [...sent.values()].reduce((sum, rows) => sum + rows, 0) };
}

/**
 * Makes the links in batches, each with its `Idempotency-Key`: whatever cuts it short, also a look at another screen, going
 * on sends what has no answer again with the same key, so each is made once.
 */
function Job({ begun, onAnother }: { begun: BegunJob; onAnother: () => void }) {
  const { list } = begun;
  const queries = useQueryClient();
  const say = useSay();
  const [events, setEvents] = useState(begun.events);
  const [stopping, setStopping] = useState(false);
  const stop = useRef(false);
  const left = useRef(false);
  const { made, unanswered } = useMemo(() => outcomes(events), [events]);
  const run = useAction({
    mutationFn: async () => {
      stop.current = false;
      setStopping(false);
      let all = events;
      for await (const event of waypost.bulk(list.links, { earlier: all, batchSize: 100 })) {
        all = [...all, event];
        setEvents(all);
        // Once this screen is left, another Job may have gone on with what was kept.
        if (!left.current) kept.job = { ...begun, events: all };
        // Between two batches: the answer of one that is under way is worth waiting for.
        if (stop.current || event.type === 'waiting') break;
      }
      const created = [...outcomes(all).made.values()].filter(({ short }) => short !== undefined).length;
      say(fill(words.many.made, { made: created, total: list.links.length }));
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['links'] }),
        queries.invalidateQueries({ queryKey: ['account'] }),
      ]),
  });
  const { mutate } = run;
  const isBegun = useRef(begun.events.length > 0);
  useEffect(() => {
    if (!isBegun.current) mutate();
    isBegun.current = true;
  }, [mutate]);
  const count = list.links.length;
  const created = [...made.values()].filter(({ short }) => short !== undefined).length;
  const isDone = made.size === count;
  useEffect(() => {
    if (isDone) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDone]);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
      stop.current = true;
    };
  }, []);
  const last = events.at(-1);
  const until = last?.type === 'waiting' ? last.until : undefined;
  useEffect(() => {
    if (isDone) kept.job = undefined;
  }, [isDone]);
  return (
    <Rows
      title={words.many.results}
      note={fill(words.many.made, { made: created, total: count })}
      checked={list}
      isProblem={(row) => made.get(row)?.problems !== undefined}
      tone={(row) => (made.get(row)?.problems !== undefined ? 'bad' : made.get(row)?.flagged ? 'flag' : '')}
      result={(row) => <Outcome made={made.get(row)} />}
    >
      <div className="grow">
        <Progress done={made.size} total={count} label={fill(words.many.made, { made: created, total: count })} />
        {!run.isPending && !isDone && (
          <p className="hint" role="status">
            {unanswered > 0
              ? fill(words.many.unanswered, { count: unanswered })
              : fill(words.many.rest, { count: count - made.size })}
            {until !== undefined && ` ${fill(words.many.until, { at: asTime(until) })}`}
          </p>
        )}
        <ErrorNote error={run.error} />
      </div>
      {run.isPending ? (
        <Button
          isOff={stopping}
          onClick={() => {
            stop.current = true;
            setStopping(true);
          }}
        >
          {words.stop}
        </Button>
      ) : (
        <>
          {made.size > 0 && (
            <Button onClick={() => download('links-made.csv', [resultsOf(list, made)], 'text/csv')}>
              <Icon name="download" />
              {words.many.download}
            </Button>
          )}
          {isDone ? (
            <Button look="primary" onClick={onAnother}>
              {words.many.another}
            </Button>
          ) : (
            <Button look="primary" onClick={() => mutate()}>
              {words.many.goOn}
            </Button>
          )}
        </>
      )}
    </Rows>
  );
}

function Outcome({ made }: { made: Made | undefined }) {
  if (made?.problems !== undefined) return <Problems problems={made.problems} />;
  if (made?.short === undefined) return <span className="hint">{words.many.waits}</span>;
  return (
    <span className={made.flagged ? 'badge flagged' : 'badge'}>
      <Icon name={made.flagged ? 'flagged' : 'tick'} />
      <span className="cut">{made.short.replace(/^https?:\/\//, '')}</span>
    </span>
  );
}

/** The columns of the command line's results. */
const resultsOf = ({ links, places }: Checked, made: ReadonlyMap<number, Made>) =>
  csv([
    ['place', 'status', 'short_url', 'problem', 'destination_url'],
    ...links.map((link, row) => {
      const { short, flagged, problems } = made.get(row) ?? {};
      const status = problems !== undefined ? 'refused' : short === undefined ? 'left' : flagged ? 'flagged' : 'active';
      return [places[row] ?? '', status, short ?? '', problems?.join('; ') ?? '', shownUrl(link)];
    }),
  ]);
