import {
  type ComponentProps,
  createContext,
  type PropsWithChildren,
  type ReactNode,
  type SubmitEvent,
  type SyntheticEvent,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Link } from 'wouter';
import { ApiError, OFFLINE } from './api.ts';
import { asDay, asMoment, asTime, number } from './language.ts';
import { fill, problem, words } from './words.ts';

const PATHS = {
  mark: (
    <path d="M10.7 1h2.5v2.5h4.25L22 7.2 17.5 11h-4.25v1.8h1.75V19.3H13.25V23h-2.5v-3.7H6.3L2 16.05l4.3-3.25h4.45V11H4V3.5h6.75z" />
  ),
  link: (
    <path d="M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.4 8.9a2.6 2.6 0 0 0 3.7 3.7l.9-.9" />
  ),
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="2.7" />
      <path d="m7.2 8.8 6.3-6.3M11 5l2 2" />
    </>
  ),
  usage: <path d="M3 13V8M8 13V3M13 13V6" />,
  settings: (
    <>
      <circle cx="8" cy="5.4" r="2.6" />
      <path d="M2.8 13.6c.6-2.6 2.6-3.9 5.2-3.9s4.6 1.3 5.2 3.9" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-1.5a1.5 1.5 0 0 0-1.5-1.5h-5A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  tick: <path d="m3 8.5 3.4 3.4L13 4.6" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  active: <circle cx="8" cy="8" r="4" />,
  flagged: <path d="M4 14V2.5h8L10 6l2 3.5H4" />,
  revoked: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.2 4.2 7.6 7.6" />
    </>
  ),
  bad: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.8v4M8 11v.01" />
    </>
  ),
  webhook: <path d="M2.5 13.5 13.5 8 2.5 2.5 4.2 8zM4.2 8h9.3" />,
  admin: <path d="M8 2 3 3.8v4C3 11 5.2 13 8 14c2.8-1 5-3 5-6.2v-4z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  tag: (
    <>
      <path d="M2.5 3v4.5l6 6 5-5-6-6H3z" />
      <path d="M5.2 5.2v.01" />
    </>
  ),
  upload: <path d="M8 9.8V2.8M5 5.5l3-3 3 3M3 13h10" />,
  download: <path d="M8 2.5v7M5 6.8l3 3 3-3M3 13h10" />,
  qr: <path d="M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h1.5v1.5M13.5 9.5v4h-4v-1" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  eye: (
    <>
      <path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8z" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
  book: (
    <path d="M8 4.2C6.8 3.3 5 3 2.5 3v9.5c2.5 0 4.3.3 5.5 1.2 1.2-.9 3-1.2 5.5-1.2V3C11 3 9.2 3.3 8 4.2zM8 4.2v9.5" />
  ),
  down: <path d="m4 6.2 4 4 4-4" />,
  up: <path d="m4 9.8 4-4 4 4" />,
  back: <path d="m9.8 4-4 4 4 4" />,
  forth: <path d="m6.2 4 4 4-4 4" />,
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {PATHS[name]}
    </svg>
  );
}

export function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      {PATHS.mark}
    </svg>
  );
}

const Say = createContext<(text: string) => void>(() => undefined);
/** Tells who does not see the screen what happened. */
export const useSay = () => useContext(Say);

export function LiveRegion({ children }: PropsWithChildren) {
  const [text, setText] = useState('');
  return (
    <Say value={setText}>
      {children}
      <div className="sr" role="status" aria-live="polite">
        {text}
      </div>
    </Say>
  );
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Where the clipboard is refused, or missing: an address without https. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // What stands outside an open dialog cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Its tick stays for 1.2 s. */
function useCopy(text: string, said: string) {
  const say = useSay();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1_200);
    return () => clearTimeout(timer);
  }, [done]);
  const act = async () => {
    if (!(await copy(text))) return;
    setDone(true);
    say(said);
  };
  return { done, act };
}

export function CopyIcon({ text, what }: { text: string; what: string }) {
  const { done, act } = useCopy(text, fill(words.copied, { what }));
  return (
    <button type="button" className={done ? 'icon ok' : 'icon'} aria-label={fill(words.copy, { what })} onClick={act}>
      <Icon name={done ? 'tick' : 'copy'} />
    </button>
  );
}

export function CopyButton({ text, label, said }: { text: string; label: string; said: string }) {
  const { done, act } = useCopy(text, said);
  return (
    <Button look="primary" onClick={act}>
      <Icon name={done ? 'tick' : 'copy'} />
      {label}
    </Button>
  );
}

interface ErrorNoteProps {
  readonly error: Error | null;
  readonly fields?: readonly string[];
  /** Of what may have been done although no answer came. */
  readonly isAction?: boolean;
}

/** Of an answer: each field's own words stand at the field, the rest above the button. */
export function ErrorNote({ error, fields = [], isAction = false }: ErrorNoteProps) {
  if (error === null) return null;
  const refused = error instanceof ApiError ? error : undefined;
  if (refused !== undefined && fields.some((field) => field in refused.details)) return null;
  return (
    <div className="note bad" role="alert">
      <Icon name="bad" />
      <span>
        <ErrorText error={error} />
        {isAction && refused?.outcomeUnknown && ` ${words.action.unknown}`}
        {refused?.errorId !== undefined && ` ${fill(words.errorId, { id: refused.errorId })}`}
      </span>
    </div>
  );
}

/** In our words where we have some; the server's are English. */
function ErrorText({ error }: { error: Error }) {
  if (!(error instanceof ApiError)) return words.failed;
  if (error.code === OFFLINE) return words.action.offline;
  if (error.status === 0) return words.offline;
  const { quota } = error;
  if (error.status === 429 && quota !== undefined) {
    const at = quota.resetAt.toISOString();
    const minutes = Math.max(1, Math.ceil((quota.resetAt.getTime() - Date.now()) / 60_000));
    return (
      <>
        <b>
          {quota.remaining === 0
            ? fill(words.quota.out, { limit: quota.limit })
            : fill(words.quota.few, { left: quota.remaining })}
        </b>{' '}
        {fill(words.quota.more, { at: asTime(at), minutes })}
      </>
    );
  }
  return <span lang="en">{error.message}</span>;
}

export function LoadError({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <Empty title={words.failed}>
      <ErrorNote error={error} />
      <Button onClick={retry}>{words.again}</Button>
    </Empty>
  );
}

/** Where there is nothing: that, and what to do about it. */
export function Empty({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Hands the form over when it is submitted; the browser sends nothing. */
export const onForm = (take: (form: HTMLFormElement) => void) => (event: SubmitEvent<HTMLFormElement>) => {
  event.preventDefault();
  take(event.currentTarget);
};

/** What the API says of a field: in our words where we have some. */
export function Problem({ label, text }: { label: string; text: string }) {
  return (
    problem(label, text) ?? (
      <>
        {label} <span lang="en">{text}.</span>
      </>
    )
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date' | 'email' | 'number' | 'password' | 'text' | 'url';
  readonly value?: string;
  readonly autoComplete?: string;
  readonly hint?: string;
  readonly error?: Error | null;
  /** What is wrong with it while somebody types: it takes no focus. */
  readonly problem?: string | undefined;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly onChange?: (value: string) => void;
}

export function Field({
  name,
  label,
  type = 'text',
  value,
  autoComplete = 'off',
  hint,
  error = null,
  problem,
  required = true,
  autoFocus,
  onChange,
}: FieldProps) {
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const text = error instanceof ApiError ? error.details[name] : undefined;
  useEffect(() => {
    if (text !== undefined || autoFocus) own.current?.focus();
  }, [text, autoFocus]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={own}
        className="in"
        id={id}
        name={name}
        type={type}
        defaultValue={value}
        autoComplete={autoComplete}
        required={required}
        aria-invalid={text !== undefined || problem !== undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        onChange={onChange && ((event) => onChange(event.currentTarget.value))}
      />
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <span className="err" id={`${id}-error`}>
        {text !== undefined ? <Problem label={label} text={String(text)} /> : problem}
      </span>
    </div>
  );
}

/** A box to tick. */
export function Check({ label, ...input }: { label: string } & Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <label className="check">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  );
}

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'onClick'> {
  /** Beside `btn`, as styles.css has them. */
  readonly look?: string;
  /** Said instead of the words on it. */
  readonly label?: string;
  /** It does nothing now. */
  readonly isOff?: boolean;
  readonly onClick?: () => unknown;
}

/** While it is off it keeps its place in the order of the keyboard, which a disabled one loses. */
export function Button({ look, label, isOff, onClick, ...button }: ButtonProps) {
  return (
    <button
      type="button"
      className={look === undefined ? 'btn' : `btn ${look}`}
      aria-label={label}
      aria-disabled={isOff}
      onClick={() => !isOff && onClick?.()}
      {...button}
    />
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly label: string;
  /** With their words. */
  readonly options: readonly (readonly [T, string])[];
  readonly value?: T;
}

/** One of some, in a form. */
export function Choice<T extends string>({ name, label, options, value }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select className="in" id={id} name={name} defaultValue={value}>
        {options.map(([each, said]) => (
          <option key={each} value={each}>
            {said}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SegmentsProps<T extends string | number> {
  readonly label: string;
  /** With their words and, where it is known, how many there are. */
  readonly options: readonly (readonly [T, string, (number | undefined)?])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** Pressed buttons, of which one is. */
export function Segments<T extends string | number>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="seg" aria-label={label}>
      {options.map(([each, said, count]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => onChange(each)}>
          {said}
          {count !== undefined && <b className="num">{number(count)}</b>}
        </button>
      ))}
    </fieldset>
  );
}

export const textIn = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name) ?? '');

interface DialogProps {
  readonly title: string;
  /** Undefined: Esc does not close it. */
  readonly onClose?: (() => void) | undefined;
  readonly foot: ReactNode;
}

/** The browser's own: it keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, foot, children }: PropsWithChildren<DialogProps>) {
  const own = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect: its end comes before the element goes, so that the focus returns to where it was.
  useLayoutEffect(() => {
    const dialog = own.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  const refuse = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog
      ref={own}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key === 'Escape') refuse(event);
      }}
      onCancel={refuse}
      // A browser may close it all the same: it lets a page refuse once, until something else is done.
      onClose={() => {
        if (own.current?.open !== false) return;
        if (onClose === undefined) own.current.showModal();
        else onClose();
      }}
    >
      {/* Nothing outside an open dialog is read aloud. */}
      <LiveRegion>
        <div className="d-head">
          <h2 id={id}>{title}</h2>
        </div>
        <div className="d-body">{children}</div>
        <div className="d-foot">{foot}</div>
      </LiveRegion>
    </dialog>
  );
}

export function Skeleton({ rows }: { rows: number }) {
  return (
    <div className="pad" aria-busy="true">
      <span className="sr">{words.loading}</span>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <p key={i}>
          <span className="sk" />
          &nbsp;
        </p>
      ))}
    </div>
  );
}

export function Status({ status }: { status: 'active' | 'flagged' | 'revoked' }) {
  return <Badge look={status}>{words.links.statuses[status]}</Badge>;
}

/** Shape and word. */
export function Badge({ look, children }: PropsWithChildren<{ look: 'active' | 'flagged' | 'revoked' }>) {
  return (
    <span className={`badge ${look}`}>
      <Icon name={look} />
      {children}
    </span>
  );
}

/** Of the column of buttons. */
export function ActionsHead({ className = 'c-act' }: { className?: string }) {
  return (
    <th className={className}>
      <span className="sr">{words.links.actions}</span>
    </th>
  );
}

/** Of a screen: in the title of the tab, and focused when it comes. */
export function Title({ children }: { children: string }) {
  const own = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Waypost`;
    own.current?.focus();
  }, [children]);
  return (
    <h1 ref={own} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** Of a screen: its title, and what one may do there. */
export function Head({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div className="head">
      <Title>{title}</Title>
      {children}
    </div>
  );
}

/** From the list, at `href`, to what the screen is about. */
export function Crumb({ href, list, children }: { href: string; list: string; children: string }) {
  return (
    <nav className="crumb" aria-label={words.link.crumb}>
      <Link href={href}>{list}</Link>
      <Icon name="forth" />
      <span>{children}</span>
    </nav>
  );
}

/** In a list of facts. */
export function Fact({ name, children }: PropsWithChildren<{ name: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={asMoment(at)}>
      {asDay(at)}
    </time>
  );
}

/** Text, never a link; isolated, so that nothing in it reorders the line. The host stands out. */
export function Destination({ url, full = false }: { url: string; full?: boolean }) {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const at = host === '' ? -1 : url.toLowerCase().indexOf(host);
  const end = at + host.length;
  return (
    <bdi className={full ? undefined : 'dest'} dir="ltr" title={full ? undefined : url}>
      {at < 0 ? url : full && url.slice(0, at)}
      {at >= 0 && <b>{url.slice(at, end)}</b>}
      {at >= 0 && url.slice(end)}
    </bdi>
  );
}

/** Other people's text: isolated, cut where it is too long. */
export function Tag({ children, title = children }: { children: string; title?: string }) {
  return (
    <span className="tag" title={title}>
      <bdi className="cut">{children}</bdi>
    </span>
  );
}

/** A tag that was chosen, and the button that takes it away. */
export function ChosenTag({ tag, onRemove }: { tag: string; onRemove: () => void }) {
  return (
    <span className="tag">
      <bdi className="cut">{tag}</bdi>
      <button type="button" className="icon" aria-label={fill(words.tags.remove, { tag })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

/** Other people's text in full: isolated, on as many lines as it takes. */
export function Foreign({ children }: { children: string }) {
  return <bdi className="foreign">{children}</bdi>;
}

/** Without its scheme, as people say it. */
export const shortUrl = (base: string, slug: string) => `${base.replace(/^https?:\/\//, '')}/${slug}`;

/** Of a single key, but not while somebody types or a dialog is open. */
export function useShortcut(key: string, act: () => void) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const from = event.target;
      if (event.key.toLowerCase() !== key || event.metaKey || event.ctrlKey || event.altKey) return;
      if (from instanceof Element && from.matches('input, textarea, select')) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [key]);
}

/** Hands a file to the browser's downloads. */
export function download(name: string, parts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** How much of something is done. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div className="progress">
      <progress value={done} max={Math.max(1, total)} aria-label={label} />
      <span className="num">{label}</span>
    </div>
  );
}
