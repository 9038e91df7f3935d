import { useQuery, useQueryClient } from '@tanstack/react-query';
import { randomKey } from '@waypost/sdk/random-key';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAction } from '../action.ts';
import { type Account, ApiError, type Created, once, waypost } from '../api.ts';
import { kept, type LinkDraft, NO_LINK } from '../draft.ts';
import { asTime } from '../language.ts';
import { Button, CopyIcon, copy, ErrorNote, Field, Icon, onForm, Problem, useSay, useShortcut } from '../parts.tsx';
import screens from '../screens.json';
import { TagInput } from '../tag-input.tsx';
import { fill, threat, words } from '../words.ts';
import { QrButton } from './qr.tsx';

const OWN_FIELDS = ['destination_url', 'custom_slug'];

export function CreateBar({ account }: { account: Account }) {
  const queries = useQueryClient();
  const say = useSay();
  const [, go] = useLocation();
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(kept.link);
  const { url, slug, tags, open } = draft;
  const change = (next: Partial<LinkDraft>) => setDraft((last) => ({ ...last, ...next }));
  useEffect(() => {
    kept.link = draft;
  }, [draft]);
  const [copied, setCopied] = useState(false);
  const taken = useTakenSlug(open.includes('slug') ? slug.trim() : '');
  const many = (text = kept.draft) => {
    kept.draft = text;
    go(screens.many);
  };
  useShortcut('n', () => own.current?.focus());
  useShortcut('b', () => many());
  const create = useAction({
    mutationFn: () => {
      const ownSlug = open.includes('slug') ? slug.trim() : '';
      const link = {
        destination_url: url.trim(),
        ...(ownSlug !== '' && { custom_slug: ownSlug }),
        ...(tags.length > 0 && { tags }),
      };
      const body = JSON.stringify(link);
      const attempt = draft.attempt.body === body ? draft.attempt : { body, key: randomKey(crypto) };
      change({ attempt });
      return waypost.create(link, { idempotencyKey: attempt.key });
    },
    onSuccess: async (made) => {
      // Both: this screen may have been left meanwhile.
      setDraft(NO_LINK);
      kept.link = NO_LINK;
      own.current?.focus();
      const isCopied = made.link.status === 'active' && (await copy(made.short_url));
      setCopied(isCopied);
      say(`${made.short_url} ${isCopied ? words.links.readyCopied : words.links.ready}`);
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['links'] }),
        queries.invalidateQueries({ queryKey: ['account'] }),
      ]);
    },
    onError: () => queries.invalidateQueries({ queryKey: ['account'] }),
  });
  const wrong = create.error instanceof ApiError ? create.error.details.destination_url : undefined;
  useEffect(() => {
    if (wrong !== undefined) own.current?.focus();
  }, [wrong]);
  const { limit, used, resets_at: resetsAt } = account.quota;
  const lacksScheme = /^[\w-]+(\.[\w-]+)+([/?#]\S*)?$/.test(url.trim());
  const toggle = (which: 'slug' | 'tags') =>
    change({ open: open.includes(which) ? open.filter((each) => each !== which) : [...open, which] });
  const isSlow = useIsSlow(create.isPending);
  useEffect(() => {
    if (isSlow) say(words.links.shortening);
  }, [isSlow, say]);
  return (
    <form onSubmit={onForm(() => create.mutate())} aria-label={words.links.create}>
      <div className={wrong === undefined ? 'create' : 'create wrong'}>
        <span className="lead">
          <Icon name="link" />
        </span>
        <label className="sr" htmlFor={id}>
          {words.links.url}
        </label>
        <input
          ref={own}
          id={id}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          aria-invalid={wrong !== undefined}
          aria-describedby={`${id}-error`}
          placeholder={words.links.placeholder}
          value={url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (text.trim().split(/[\r\n]+/).length < 2) return;
            event.preventDefault();
            many(text);
          }}
        />
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus */}
        <kbd aria-hidden="true">N</kbd>
        <span className="end">
          <button className="finger" type="submit" aria-disabled={create.isPending}>
            {isSlow ? words.links.shortening : words.links.shorten}
          </button>
        </span>
      </div>
      <span className="err" id={`${id}-error`}>
        {wrong !== undefined && <Problem label={words.links.url} text={String(wrong)} />}
      </span>
      <div className="under">
        <Button look="quiet" aria-expanded={open.includes('slug')} onClick={() => toggle('slug')}>
          <Icon name="plus" />
          {words.links.custom}
        </Button>
        <Button look="quiet" aria-expanded={open.includes('tags')} onClick={() => toggle('tags')}>
          <Icon name="tag" />
          {words.links.tags}
        </Button>
        <Button look="quiet" onClick={() => many()}>
          <Icon name="upload" />
          {words.many.title}
        </Button>
        {lacksScheme && (
          <Button look="quiet" onClick={() => change({ url: `https://${url.trim()}` })}>
            {words.links.addHttps}
          </Button>
        )}
        <span className="q">
          {fill(words.links.left, { left: Math.max(0, limit - used), limit, at: asTime(resetsAt) })}
        </span>
      </div>
      {open.length > 0 && (
        <div className="made narrow-field">
          {open.includes('slug') && (
            <Field
              name="custom_slug"
              label={words.links.custom}
              value={slug}
              error={create.error}
              problem={taken}
              required={false}
              autoFocus={slug === ''}
              onChange={(next) => change({ slug: next })}
            />
          )}
          {open.includes('tags') && (
            <TagInput
              label={words.links.tags}
              tags={tags}
              onChange={(next) => change({ tags: next })}
              hint={words.tags.hint}
            />
          )}
        </div>
      )}
      {create.error && (
        <div className="made">
          <ErrorNote error={create.error} fields={open.includes('slug') ? OWN_FIELDS : ['destination_url']} />
        </div>
      )}
      {create.data && !create.error && <Made made={create.data} copied={copied} />}
    </form>
  );
}

/** Whether this has lasted for so long that one should see it. */
function useIsSlow(isOn: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => setSlow(true), 300);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isOn]);
  return isSlow;
}

/** Any destination does: a dry run looks at the address as well, makes nothing and costs no quota. */
const ANY_DESTINATION = 'https://www.example.com/';

/** What to say of an address of one's own that somebody has; asked a moment after the last key. */
function useTakenSlug(slug: string): string | undefined {
  const say = useSay();
  const [settled, setSettled] = useState(slug);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(slug), 400);
    return () => clearTimeout(timer);
  }, [slug]);
  const { data: isTaken = false } = useQuery({
    queryKey: ['slug', settled],
    queryFn: ({ signal }) =>
      once.check({ destination_url: ANY_DESTINATION, custom_slug: settled }, { signal }).then(() => false, isTakenBy),
    enabled: settled !== '' && settled === slug,
  });
  const problem = isTaken && settled === slug ? fill(words.links.taken, { slug }) : undefined;
  useEffect(() => {
    if (problem !== undefined) say(problem);
  }, [problem, say]);
  return problem;
}

/** Any other fault is told when the link is made. */
const isTakenBy = (error: unknown) => error instanceof ApiError && error.status === 409;

function Made({ made, copied }: { made: Created; copied: boolean }) {
  const { link, short_url: short, warning } = made;
  if (warning !== undefined) {
    return (
      <p className="note flag made">
        <Icon name="flagged" />
        <span>
          <b>{words.links.flagged}</b> {fill(words.links.flaggedWhy, { short, what: threat(warning.threat_type) })}
        </span>
      </p>
    );
  }
  return (
    <p className="note good made">
      <Icon name="tick" />
      <span className="grow">
        <Link href={`/links/${link.slug}`}>
          <b>{short}</b>
        </Link>{' '}
        {copied ? words.links.readyCopied : words.links.ready}
      </span>
      {!copied && <CopyIcon text={short} what={short} />}
      <QrButton url={short} slug={link.slug} />
    </p>
  );
}
