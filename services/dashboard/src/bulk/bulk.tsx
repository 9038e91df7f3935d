import { csv, type LinksFile, LinksFileError, shownUrl, textOf, UTM_FIELDS, type Utm } from '@waypost/links-file';
import { type DragEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Account } from '../api.ts';
import { Button, Crumb, download, ErrorNote, Head, Icon, Progress, useAnnounce } from '../components/index.ts';
import { useDrafts } from '../drafts.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { list as listOf } from '../language.ts';
import { TagInput } from '../links/tag-input.tsx';
import { UtmBuilder } from '../links/utm-builder.tsx';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { type Checked, checkLinks, isBad, MOST_LINKS, readText } from './check-links.ts';
import { Job } from './job.ts';
import { Preview } from './preview.tsx';
import { Results } from './results.tsx';

const t = words.many;

const MOST_BYTES = 8 * 2 ** 20;
const TEMPLATE = csv([
  ['destination_url', 'custom_slug', 'tags', 'title', 'note', 'ends_at', ...UTM_FIELDS],
  ['https://www.wikipedia.org/', 'wiki', 'docs,reading', 'Wikipedia', '', '', 'newsletter', 'email', 'spring'],
]);

function read(text: string, tags: readonly string[], utm: Utm): LinksFile | LinksFileError {
  try {
    return readText(text, tags, utm);
  } catch (error) {
    if (error instanceof LinksFileError) return error;
    throw error;
  }
}

async function textIn(file: File): Promise<string> {
  if (file.size > MOST_BYTES) throw new TypeError('too large');
  return textOf(new Uint8Array(await file.arrayBuffer()));
}

function useCheck({ quota }: Account) {
  const refresh = useRefresh(['account']);
  const announce = useAnnounce();
  const [checked, setChecked] = useState<Checked>();
  const [progress, setProgress] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run = useAction({
    mutationFn: async (list: LinksFile) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      setProgress(0);
      try {
        const remaining = quota.limit - quota.used;
        const verdicts = await checkLinks(list, { remaining, signal, onProgress: setProgress });
        setChecked({ ...list, verdicts });
        announce(fill(t.checked, { bad: verdicts.filter(isBad).length }));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    onError: () => refresh(),
  });
  const cancel = () => stop.current.abort();
  /** The text or the tags have changed, so the results of the check no longer apply. */
  const forget = () => {
    cancel();
    setChecked(undefined);
  };
  return { ...run, checked, setChecked, progress, cancel, forget };
}

export default function Many({ account }: { account: Account }) {
  const { text: draft, setText, job, setJob } = useDrafts();
  const text = job?.text ?? draft;
  const [tags, setTags] = useState<readonly string[]>([]);
  const [fileProblem, setFileProblem] = useState<string>();
  const [utm, setUtm] = useState<Utm>();
  const list = useMemo(() => read(text, tags, utm ?? {}), [text, tags, utm]);
  const check = useCheck(account);
  const { checked } = check;
  const change = (next: string) => {
    check.forget();
    setText(next);
    setFileProblem(undefined);
  };
  const changeUtm = (next: Utm | undefined) => {
    check.forget();
    setUtm(next);
  };
  const open = async (file: File | undefined) => {
    if (file === undefined || job !== undefined) return;
    try {
      change(await textIn(file));
    } catch {
      setFileProblem(fill(t.notText, { name: file.name }));
    }
  };
  const create = (links: Checked) => {
    setJob(new Job(text, links));
    change('');
  };
  const problem = fileProblem ?? (list instanceof LinksFileError ? list.message : undefined);
  return (
    <>
      <Crumb href={screens.links} list={words.links.title}>
        {t.title}
      </Crumb>
      <Head title={t.title}>
        <FileButton onFile={open} />
        <Button variant="quiet" onClick={() => download('links-template.csv', [TEMPLATE], 'text/csv')}>
          {t.template}
        </Button>
      </Head>
      <div className="many">
        <Lines text={text} isFixed={job !== undefined} problem={problem} onChange={change} onFile={open}>
          {job === undefined && (
            <>
              <TagInput
                label={t.tags}
                tags={tags}
                onChange={(next) => {
                  check.forget();
                  setTags(next);
                }}
              />
              <Button
                variant="quiet start"
                aria-expanded={utm !== undefined}
                onClick={() => changeUtm(utm === undefined ? {} : undefined)}
              >
                <Icon name="overview" />
                {words.utm.open}
              </Button>
              {utm !== undefined && (
                <UtmBuilder
                  account={account}
                  utm={utm}
                  built={list instanceof LinksFileError ? '' : shownUrl(list.links[0])}
                  replaced={[]}
                  onChange={changeUtm}
                />
              )}
              <Notes list={list} />
              <CheckButton list={list} check={check} />
            </>
          )}
        </Lines>
        {job !== undefined ? (
          <Results job={job} onAnother={() => setJob(undefined)} />
        ) : (
          checked !== undefined && (
            <Preview
              checked={checked}
              account={account}
              onLeaveOut={() => check.setChecked(withoutBad(checked))}
              onCreate={() => create(checked)}
            />
          )
        )}
      </div>
    </>
  );
}

/** What is not used of a list that is an export. */
function Notes({ list }: { list: LinksFile | LinksFileError }) {
  if (list instanceof LinksFileError) return null;
  const { ignored, leftOut, replaced } = list;
  return (
    <>
      {ignored.length > 0 && <p className="hint">{fill(t.ignored, { columns: ignored.join(', ') })}</p>}
      {leftOut > 0 && <p className="hint">{fill(t.leftOut, { count: leftOut })}</p>}
      {replaced.length > 0 && <p className="hint">{fill(words.utm.replaced, { names: listOf(replaced) })}</p>}
    </>
  );
}

function CheckButton({ list, check }: { list: LinksFile | LinksFileError; check: ReturnType<typeof useCheck> }) {
  const count = list instanceof LinksFileError ? 0 : list.links.length;
  const tooMany = count > MOST_LINKS;
  const { progress } = check;
  return (
    <>
      {tooMany && <p className="err">{fill(t.tooMany, { most: MOST_LINKS })}</p>}
      <ErrorNote error={check.error} />
      {check.isPending ? (
        <>
          <Progress done={progress} total={count} label={fill(t.checking, { done: progress, total: count })} />
          <Button variant="start" onClick={check.cancel}>
            {words.cancel}
          </Button>
        </>
      ) : (
        <Button
          variant="primary start"
          isDisabled={count === 0 || tooMany}
          onClick={() => !(list instanceof LinksFileError) && check.mutate(list)}
        >
          {fill(t.check, { count })}
        </Button>
      )}
    </>
  );
}

function withoutBad({ links, places, verdicts, ...list }: Checked): Checked {
  const good = <T,>(all: readonly T[]) => all.filter((_each, row) => !isBad(verdicts[row]!));
  return { ...list, links: good(links), places: good(places), verdicts: good(verdicts) };
}

function FileButton({ onFile }: { onFile: (file: File | undefined) => void }) {
  const element = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={element}
        type="file"
        hidden
        accept=".csv,.txt,.json,.jsonl,text/*"
        aria-label={t.open}
        onChange={(event) => {
          onFile(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button onClick={() => element.current?.click()}>
        <Icon name="upload" />
        {t.open}
      </Button>
    </>
  );
}

interface LinesProps {
  readonly text: string;
  readonly isFixed: boolean;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
  readonly children: ReactNode;
}

function Lines({ text, isFixed, problem, onChange, onFile, children }: LinesProps) {
  const id = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onFile(event.dataTransfer.files[0]);
  };
  return (
    <section className="card pad form">
      <div className="field">
        <label htmlFor={id}>{t.lines}</label>
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
          {t.hint}
        </span>
        <span className="err" id={`${id}-error`} lang="en">
          {problem}
        </span>
      </div>
      {children}
    </section>
  );
}
