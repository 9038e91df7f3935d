import { useMutation, useQueryClient } from '@tanstack/react-query';
import { randomKey } from '@waypost/sdk/random-key';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Account, ApiError, type Created, waypost } from '../api.ts';
import { keepDraft, keptDraft } from '../draft.ts';
import { asTime } from '../language.ts';
import { Button, CopyIcon, copy, ErrorNote, Field, Icon, onForm, textIn, useSay, useShortcut } from '../parts.tsx';
import screens from '../screens.json';
import { TagInput } from '../tag-input.tsx';
import { threat, words } from '../words.ts';
import { QrButton } from './qr.tsx';

const OWN_FIELDS = ['destination_url', 'custom_slug'];

export function CreateBar({ account }: { account: Account }) {
  const queries = useQueryClient();
  const say = useSay();
  const [, go] = useLocation();
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const [url, setUrl] = useState('');
  const [open, setOpen] = useState<readonly ('slug' | 'tags')[]>([]);
  const [tags, setTags] = useState<readonly string[]>([]);
  const [copied, setCopied] = useState(false);
  // The same until something was made: a retry makes no second link.
  const attempt = useRef({ body: '', key: '' });
  const many = (text = keptDraft()) => {
    keepDraft(text);
    go(screens.many);
  };
  useShortcut('n', () => own.current?.focus());
  useShortcut('b', () => many());
  const create = useMutation({
    mutationFn: (form: HTMLFormElement) => {
      const slug = textIn(form, 'custom_slug').trim();
      const link = {
        destination_url: url.trim(),
        ...(slug !== '' && { custom_slug: slug }),
        ...(tags.length > 0 && { tags }),
      };
      const body = JSON.stringify(link);
      if (attempt.current.body !== body) attempt.current = { body, key: randomKey(crypto) };
      return waypost.create(link, { idempotencyKey: attempt.current.key });
    },
    onSuccess: async (made) => {
      attempt.current = { body: '', key: '' };
      setUrl('');
      setTags([]);
      setOpen([]);
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
    setOpen(open.includes(which) ? open.filter((each) => each !== which) : [...open, which]);
  return (
    <form onSubmit={onForm((form) => !create.isPending && create.mutate(form))} aria-label={words.links.create}>
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
          onChange={(event) => setUrl(event.currentTarget.value)}
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
            {words.links.shorten}
          </button>
        </span>
      </div>
      <span className="err" id={`${id}-error`}>
        {wrong !== undefined && (
          <>
            {words.links.url} <span lang="en">{String(wrong)}.</span>
          </>
        )}
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
          <Button look="quiet" onClick={() => setUrl(`https://${url.trim()}`)}>
            {words.links.addHttps}
          </Button>
        )}
        <span className="q">{words.links.left(Math.max(0, limit - used), limit, asTime(resetsAt))}</span>
      </div>
      {open.length > 0 && (
        <div className="made narrow-field">
          {open.includes('slug') && (
            <Field name="custom_slug" label={words.links.custom} error={create.error} required={false} autoFocus />
          )}
          {open.includes('tags') && (
            <TagInput label={words.links.tags} tags={tags} onChange={setTags} hint={words.tags.hint} />
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

function Made({ made, copied }: { made: Created; copied: boolean }) {
  const { link, short_url: short, warning } = made;
  if (warning !== undefined) {
    return (
      <p className="note flag made">
        <Icon name="flagged" />
        <span>
          <b>{words.links.flagged}</b> {words.links.flaggedWhy(short, threat(warning.threat_type))}
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
