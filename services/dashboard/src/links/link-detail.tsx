import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Account, type Case, type Link as LinkBody, once, waypost } from '../api.ts';
import { Clicks } from '../clicks/clicks.tsx';
import {
  Button,
  Card,
  CopyIcon,
  Destination,
  DetailHead,
  Fact,
  Field,
  FormDialog,
  Icon,
  Note,
  NotThere,
  Status,
  shortUrl,
  Tag,
  textIn,
  useAnnounce,
} from '../components/index.ts';
import { asDay, asMoment, until } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { About } from './about.tsx';
import { QrCode } from './qr.tsx';
import { type LinkDialogProps, RevokeDialog } from './revoke-dialog.tsx';
import { Scan } from './scan.tsx';

const t = words.review;

export default function LinkDetail({ slug, account }: { slug: string; account: Account }) {
  const [open, setOpen] = useState<'revoke' | 'review'>();
  const [review, setReview] = useState<Case>();
  const close = () => setOpen(undefined);
  const query = useQuery({ queryKey: ['link', slug], queryFn: ({ signal }) => waypost.get(slug, { signal }) });
  if (query.data === undefined)
    return (
      <NotThere query={query} missing={words.link.missing}>
        <Link href={screens.links}>{words.links.title}</Link>
      </NotThere>
    );
  const link = query.data;
  const base = account.redirect_base_url;
  const short = shortUrl(base, slug);
  return (
    <>
      <LinkHead link={link} base={base} onOpen={setOpen} />
      {review !== undefined && (
        <Note variant="made">
          {fill(t.asked, { number: review.number })} <a href={`/report/${review.number}`}>{t.follow}</a>
        </Note>
      )}
      <div className="detail">
        <div className="stack">
          <Clicks link={link} />
        </div>
        <aside className="stack">
          <About link={link} />
          <Scan link={link} />
          <Card title={words.qr.title}>
            <QrCode url={`${base}/${slug}`} slug={slug} />
          </Card>
          <Record link={link} />
        </aside>
      </div>
      {open === 'revoke' && <RevokeDialog slug={slug} short={short} onClose={close} />}
      {open === 'review' && <ReviewDialog slug={slug} short={short} onClose={close} onSent={setReview} />}
    </>
  );
}

interface LinkHeadProps {
  readonly link: LinkBody;
  readonly base: string;
  readonly onOpen: (dialog: 'revoke' | 'review') => void;
}

function LinkHead({ link, base, onOpen }: LinkHeadProps) {
  const { slug, status } = link;
  const url = `${base}/${slug}`;
  const short = shortUrl(base, slug);
  const copy = <CopyIcon text={url} what={short} />;
  return (
    <DetailHead
      list={words.links.title}
      href={screens.links}
      name={slug}
      title={link.title ?? short}
      beside={link.title === null && copy}
      actions={
        <>
          {/* `+` opens the preview, which counts no click. */}
          <a className="btn" href={status === 'active' ? `${url}+` : url} target="_blank" rel="noopener noreferrer">
            <Icon name="eye" />
            {words.link.asVisitor}
          </a>
          {status === 'active' && (
            <Button variant="danger" onClick={() => onOpen('revoke')}>
              {words.revoke.open}
            </Button>
          )}
          {status === 'flagged' && <Button onClick={() => onOpen('review')}>{t.open}</Button>}
        </>
      }
    >
      {link.title !== null && (
        <p className="to hint">
          {short}
          {copy}
        </p>
      )}
      <p className="to">
        <Destination url={link.destination_url} full />
      </p>
      <p className="meta">
        <Status status={status} />
        {link.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        <span className="hint">{fill(words.link.createdOn, { date: asDay(link.created_at) })}</span>
        {link.ends_at !== null && link.status !== 'revoked' && (
          <span className="hint">{fill(words.links.ends, { when: until(link.ends_at) })}</span>
        )}
        {link.revoked_at !== null && (
          <span className="hint">{fill(words.link.revokedOn, { date: asDay(link.revoked_at) })}</span>
        )}
      </p>
    </DetailHead>
  );
}

function ReviewDialog({ slug, short, onClose, onSent }: LinkDialogProps & { onSent: (review: Case) => void }) {
  const announce = useAnnounce();
  return (
    <FormDialog
      title={fill(t.title, { short })}
      submitLabel={t.act}
      fields={['message']}
      send={(form) => once.requestReview(slug, textIn(form, 'message'))}
      onSent={(review) => {
        onSent(review);
        announce(fill(t.asked, { number: review.number }));
      }}
      onClose={onClose}
    >
      {(error) => <Field name="message" label={t.why} hint={t.hint} error={error} autoFocus />}
    </FormDialog>
  );
}

function Record({
  link: { created_at: created, updated_at: updated, revoked_at: revoked, ends_at: ends },
}: {
  link: LinkBody;
}) {
  return (
    <Card title={words.record.title}>
      <dl className="facts">
        <Fact name={words.links.created}>{asMoment(created)}</Fact>
        <Fact name={words.record.updated}>{updated === created ? words.record.unchanged : asMoment(updated)}</Fact>
        {ends !== null && <Fact name={words.about.ends}>{asMoment(ends)}</Fact>}
        {revoked !== null && <Fact name={words.links.statuses.revoked}>{asMoment(revoked)}</Fact>}
      </dl>
    </Card>
  );
}
