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
import { type LinkDraft, NO_LINK, useDrafts } from '../drafts.tsx';
import { useShortcut } from '../hooks/shortcut.ts';
import { useAction } from '../hooks/use-action.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asTime } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, threat, words } from '../words.ts';
import { QrButton } from './qr.tsx';
import { TagInput } from './tag-input.tsx';
import { useIsSlow, useSlugProblem } from './use-slug-problem.ts';

const t = words.links;

const OWN_FIELDS = ['destination_url', 'custom_slug', 'taken_slugs'];

interface DraftProps {
  readonly draft: LinkDraft;
  readonly onChange: (change: Partial<LinkDraft>) => void;
}

const ownSlug = ({ open, slug }: LinkDraft) => (open.includes('slug') ? slug.trim() : '');

function linkOf(draft: LinkDraft) {
  const slug = ownSlug(draft);
  return {
    destination_url: draft.url.trim(),
    ...(slug !== '' && { custom_slug: slug }),
    ...(draft.tags.length > 0 && { tags: draft.tags }),
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
      {draft.open.length > 0 && <OwnFields draft={draft} error={create.error} onChange={change} />}
      {create.error && (
        <div className="made">
          <ErrorNote error={create.error} fields={draft.open.includes('slug') ? OWN_FIELDS : ['destination_url']} />
        </div>
      )}
      {create.data && !create.error && <CreatedNote created={create.data} isCopied={create.isCopied} />}
    </form>
  );
}

function Under({ draft, account, onChange, onMany }: DraftProps & { account: Account; onMany: () => void }) {
  const { url, open } = draft;
  const { limit, used, resets_at: resetsAt } = account.quota;
  const lacksScheme = /^[\w-]+(\.[\w-]+)+([/?#]\S*)?$/.test(url.trim());
  const toggle = (which: 'slug' | 'tags') =>
    onChange({ open: open.includes(which) ? open.filter((each) => each !== which) : [...open, which] });
  return (
    <div className="under">
      <Button variant="quiet" aria-expanded={open.includes('slug')} onClick={() => toggle('slug')}>
        <Icon name="plus" />
        {t.custom}
      </Button>
      <Button variant="quiet" aria-expanded={open.includes('tags')} onClick={() => toggle('tags')}>
        <Icon name="tag" />
        {t.tags}
      </Button>
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

function OwnFields({ draft, error, onChange }: DraftProps & { error: Error | null }) {
  const { slug, tags, open } = draft;
  const own = ownSlug(draft);
  const problem = useSlugProblem(own) ?? (wasTaken(error, own) ? fill(words.links.taken, { slug: own }) : undefined);
  return (
    <div className="made narrow-field">
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
