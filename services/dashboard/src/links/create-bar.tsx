import { replacedBy, withUtm } from '@waypost/links-file/utm';
import { randomKey } from '@waypost/sdk/random-key';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Account, ApiError, type Created, waypost } from '../api.ts';
import {
  Button,
  CopyIcon,
  copy,
  ErrorNote,
  Field,
  Icon,
  Note,
  onForm,
  Problem,
  useAnnounce,
} from '../components/index.ts';
import { type LinkDraft, NO_LINK, type Panel, useDrafts } from '../drafts.tsx';
import { useShortcut } from '../hooks/shortcut.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asTime } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, threat, words } from '../words.ts';
import { AboutFields } from './about-fields.tsx';
import { QrButton } from './qr.tsx';
import { TagInput } from './tag-input.tsx';
import { useIsSlow, useSlugProblem } from './use-slug-problem.ts';
import { UtmBuilder } from './utm-builder.tsx';

const t = words.links;

/** The fields that show their own problems while their panel is open. */
const FIELDS: Readonly<Record<Panel, readonly string[]>> = {
  slug: ['custom_slug', 'taken_slugs'],
  tags: [],
  about: ['title', 'note', 'ends_at'],
  utm: [],
};

interface DraftProps {
  readonly draft: LinkDraft;
  readonly onChange: (change: Partial<LinkDraft>) => void;
}

const ownSlug = ({ open, slug }: LinkDraft) => (open.includes('slug') ? slug.trim() : '');

const tagsOf = ({ open, tags }: LinkDraft) => (open.includes('tags') ? tags : []);

const utmOf = ({ open, utm }: LinkDraft) => (open.includes('utm') ? utm : {});

function linkOf(draft: LinkDraft) {
  const [slug, tags] = [ownSlug(draft), tagsOf(draft)];
  const { title, note, ends_at } = draft.open.includes('about') ? draft : NO_LINK;
  return {
    destination_url: withUtm(draft.url.trim(), utmOf(draft)),
    ...(slug !== '' && { custom_slug: slug }),
    ...(tags.length > 0 && { tags }),
    ...(title !== null && { title }),
    ...(note !== null && { note }),
    ...(ends_at !== null && { ends_at }),
  };
}

function useCreate(input: RefObject<HTMLInputElement | null>) {
  const { link: draft, setLink } = useDrafts();
  const refresh = useRefresh(['links'], ['account']);
  const accountChanged = useRefresh(['account']);
  const [isCopied, setCopied] = useState(false);
  const create = useAction({
    mutationFn: () => {
      const link = linkOf(draft);
      const body = JSON.stringify(link);
      const attempt = draft.attempt.body === body ? draft.attempt : { body, key: randomKey(crypto) };
      setLink({ ...draft, attempt });
      return waypost.create(link, { idempotencyKey: attempt.key });
    },
    onSuccess: async ({ link, short_url: short }) => {
      setLink(NO_LINK);
      input.current?.focus();
      const hasCopied = link.status === 'active' && (await copy(short));
      setCopied(hasCopied);
      await refresh(`${short} ${hasCopied ? t.readyCopied : t.ready}`);
    },
    onError: () => accountChanged(),
  });
  const problem = create.error instanceof ApiError ? create.error.details.destination_url : undefined;
  useEffect(() => {
    if (problem !== undefined) input.current?.focus();
  }, [problem, input]);
  return { ...create, problem, isCopied };
}

export function CreateBar({ account }: { account: Account }) {
  const announce = useAnnounce();
  const { link: draft, setLink, text: lines, setText } = useDrafts();
  const [, go] = useLocation();
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  const { problem, ...create } = useCreate(element);
  const change: DraftProps['onChange'] = (part) => setLink((last) => ({ ...last, ...part }));
  const many = (text = lines) => {
    setText(text);
    go(screens.many);
  };
  useShortcut('n', () => element.current?.focus());
  useShortcut('b', () => many());
  const isSlow = useIsSlow(create.isPending);
  useEffect(() => {
    if (isSlow) announce(t.shortening);
  }, [isSlow, announce]);
  return (
    <form onSubmit={onForm(() => create.mutate())} aria-label={t.create}>
      <div className={problem === undefined ? 'create' : 'create wrong'}>
        <span className="lead">
          <Icon name="link" />
        </span>
        <label className="sr" htmlFor={id}>
          {t.url}
        </label>
        <input
          ref={element}
          id={id}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-error`}
          placeholder={t.placeholder}
          value={draft.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (text.trim().split(/[\r\n]+/).length < 2) return;
            event.preventDefault();
            many(text);
          }}
        />
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd cannot have the focus */}
        <kbd aria-hidden="true">N</kbd>
        <span className="end">
          <button className="finger" type="submit" aria-disabled={create.isPending}>
            {isSlow ? t.shortening : t.shorten}
          </button>
        </span>
      </div>
      <span className="err" id={`${id}-error`}>
        {problem !== undefined && <Problem label={t.url} text={String(problem)} />}
      </span>
      <Under draft={draft} account={account} onChange={change} onMany={() => many()} />
      {draft.open.length > 0 && <OwnFields draft={draft} account={account} error={create.error} onChange={change} />}
      {create.error && (
        <div className="made">
          <ErrorNote
            error={create.error}
            fields={['destination_url', ...draft.open.flatMap((panel) => FIELDS[panel])]}
          />
        </div>
      )}
      {create.data && !create.error && <CreatedNote created={create.data} isCopied={create.isCopied} />}
    </form>
  );
}

const PANELS = [
  ['slug', 'plus', t.custom],
  ['tags', 'tag', t.tags],
  ['about', 'book', t.about],
  ['utm', 'overview', words.utm.open],
] as const;

function Under({ draft, account, onChange, onMany }: DraftProps & { account: Account; onMany: () => void }) {
  const { url, open } = draft;
  const { limit, used, resets_at: resetsAt } = account.quota;
  const lacksScheme = /^[\w-]+(\.[\w-]+)+([/?#]\S*)?$/.test(url.trim());
  return (
    <div className="under">
      {PANELS.map(([panel, icon, label]) => {
        const isOpen = open.includes(panel);
        return (
          <Button
            key={panel}
            variant="quiet"
            aria-expanded={isOpen}
            onClick={() => onChange({ open: isOpen ? open.filter((each) => each !== panel) : [...open, panel] })}
          >
            <Icon name={icon} />
            {label}
          </Button>
        );
      })}
      <Button variant="quiet" onClick={onMany}>
        <Icon name="upload" />
        {words.many.title}
      </Button>
      {lacksScheme && (
        <Button variant="quiet" onClick={() => onChange({ url: `https://${url.trim()}` })}>
          {t.addHttps}
        </Button>
      )}
      <span className="q">{fill(t.left, { remaining: Math.max(0, limit - used), limit, at: asTime(resetsAt) })}</span>
    </div>
  );
}

/** The creation may be faster than the check while one types. */
function wasTaken(error: Error | null, slug: string): boolean {
  const taken = error instanceof ApiError ? error.details.taken_slugs : undefined;
  return Array.isArray(taken) && taken.includes(slug);
}

function OwnFields({ draft, account, error, onChange }: DraftProps & { account: Account; error: Error | null }) {
  const { slug, tags, open } = draft;
  const url = draft.url.trim();
  const utm = utmOf(draft);
  const own = ownSlug(draft);
  const problem = useSlugProblem(own) ?? (wasTaken(error, own) ? fill(words.links.taken, { slug: own }) : undefined);
  return (
    <div className="made own-fields">
      {open.includes('slug') && (
        <Field
          name="custom_slug"
          label={t.custom}
          value={slug}
          error={error}
          problem={problem}
          required={false}
          autoFocus={slug === ''}
          onChange={(next) => onChange({ slug: next })}
        />
      )}
      {open.includes('tags') && (
        <TagInput label={t.tags} tags={tags} onChange={(next) => onChange({ tags: next })} hint={words.tags.hint} />
      )}
      {open.includes('about') && (
        <AboutFields about={draft} hasFocus={draft.title === null} error={error} onChange={onChange} />
      )}
      {open.includes('utm') && (
        <UtmBuilder
          account={account}
          utm={utm}
          built={withUtm(url, utm)}
          replaced={replacedBy(url, utm)}
          onChange={(next) => onChange({ utm: next })}
        />
      )}
    </div>
  );
}

function CreatedNote({ created, isCopied }: { created: Created; isCopied: boolean }) {
  const { link, short_url: short, warning } = created;
  if (warning !== undefined) {
    return (
      <Note variant="flag made" icon="flagged">
        <b>{t.flagged}</b> {fill(t.flaggedWhy, { short, what: threat(warning.threat_type) })}
      </Note>
    );
  }
  return (
    <p className="note good made">
      <Icon name="tick" />
      <span className="grow">
        <Link href={`/links/${link.slug}`}>
          <b>{short}</b>
        </Link>{' '}
        {isCopied ? t.readyCopied : t.ready}
      </span>
      {!isCopied && <CopyIcon text={short} what={short} />}
      <QrButton url={short} slug={link.slug} />
    </p>
  );
}
