import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Account, type Case, type Link as LinkBody, once, waypost } from '../api.ts';
import { FormDialog } from '../dialogs.tsx';
import { ago, asDay, asMoment } from '../language.ts';
import { Loaded, NotThere } from '../loaded.tsx';
import {
  Button,
  CopyIcon,
  Crumb,
  Destination,
  Fact,
  Field,
  Icon,
  Status,
  shortUrl,
  Tag,
  Title,
  textIn,
  useSay,
} from '../parts.tsx';
import screens from '../screens.json';
import { fill, threat, words } from '../words.ts';
import { Clicks } from './clicks.tsx';
import { QrCode } from './qr.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { Reasons, Verdicts } from './verdicts.tsx';

export default function LinkDetail({ slug, account }: { slug: string; account: Account }) {
  const queries = useQueryClient();
  const say = useSay();
  const [open, setOpen] = useState<'revoke' | 'review'>();
  const [asked, setAsked] = useState<Case>();
  const found = useQuery({ queryKey: ['link', slug], queryFn: ({ signal }) => waypost.get(slug, { signal }) });
  if (found.data === undefined)
    return (
      <NotThere query={found} missing={words.link.missing}>
        <Link href={screens.links}>{words.links.title}</Link>
      </NotThere>
    );
  const link = found.data;
  const base = account.redirect_base_url;
  const short = shortUrl(base, slug);
  return (
    <>
      <Crumb href={screens.links} list={words.links.title}>
        {slug}
      </Crumb>
      <div className="top">
        <div>
          <div className="h1slug">
            <Title>{short}</Title>
            <CopyIcon text={`${base}/${slug}`} what={short} />
          </div>
          <p className="to">
            <Destination url={link.destination_url} full />
          </p>
          <p className="meta">
            <Status status={link.status} />
            {link.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
            <span className="hint">{fill(words.link.createdOn, { date: asDay(link.created_at) })}</span>
            {link.revoked_at !== null && (
              <span className="hint">{fill(words.link.revokedOn, { date: asDay(link.revoked_at) })}</span>
            )}
          </p>
        </div>
        <div className="acts">
          {/* Never a click: `+` is the preview. */}
          <a
            className="btn"
            href={`${base}/${slug}${link.status === 'active' ? '+' : ''}`}
            target="_blank"
            rel="noopener noreferrer"
          >
            <Icon name="eye" />
            {words.link.asVisitor}
          </a>
          {link.status === 'active' && (
            <Button look="danger" onClick={() => setOpen('revoke')}>
              {words.revoke.open}
            </Button>
          )}
          {link.status === 'flagged' && <Button onClick={() => setOpen('review')}>{words.review.open}</Button>}
        </div>
      </div>
      {asked !== undefined && (
        <p className="note made">
          <span>
            {fill(words.review.asked, { number: asked.number })}{' '}
            <a href={`/report/${asked.number}`}>{words.review.follow}</a>
          </span>
        </p>
      )}
      <div className="detail">
        <div className="stack">
          <Clicks link={link} />
        </div>
        <aside className="stack">
          <Scan link={link} />
          <section className="card pad">
            <h2>{words.qr.title}</h2>
            <QrCode url={`${base}/${slug}`} slug={slug} />
          </section>
          <Record link={link} />
        </aside>
      </div>
      {open === 'revoke' && (
        <RevokeDialog
          slug={slug}
          short={short}
          onClose={() => setOpen(undefined)}
          onRevoked={() => void queries.invalidateQueries()}
        />
      )}
      {open === 'review' && (
        <FormDialog
          title={fill(words.review.title, { short })}
          act={words.review.act}
          fields={['message']}
          send={(form) => once.requestReview(slug, textIn(form, 'message'))}
          onSent={(filed) => {
            setAsked(filed);
            say(fill(words.review.asked, { number: filed.number }));
          }}
          onClose={() => setOpen(undefined)}
        >
          {(error) => (
            <Field name="message" label={words.review.why} hint={words.review.hint} error={error} autoFocus />
          )}
        </FormDialog>
      )}
    </>
  );
}

/** What the last scan found and why, how old it is, and what was found before. */
function Scan({ link }: { link: LinkBody }) {
  const { slug, threat_type: type, deep_scan: deepScan, preview_first: previewFirst } = link;
  const scan = useQuery({
    queryKey: ['link', slug, 'scan'],
    queryFn: ({ signal }) => waypost.scan(slug, { signal }),
  });
  const noted = scan.data?.outcome === 'warned' ? scan.data.threat_type : null;
  return (
    <section className="card pad">
      <h2>{words.scan.title}</h2>
      {type !== null ? (
        <p className="note flag">
          <Icon name="flagged" />
          <span>
            <b>{fill(words.scan.suspected, { what: threat(type) })}</b>
            <br />
            {words.scan.suspectedWhy}
          </span>
        </p>
      ) : noted !== null ? (
        <p className="note">
          <Icon name="eye" />
          <span>
            <b>{fill(words.scan.noted, { what: threat(noted) })}</b>
            <br />
            {previewFirst ? words.scan.previewFirst : words.scan.notedWhy}
          </span>
        </p>
      ) : (
        scan.data !== undefined && (
          <p className="note good">
            <Icon name="tick" />
            <span>
              <b>{words.scan.clean}</b>
              <br />
              {words.scan.cleanWhy}
            </span>
          </p>
        )
      )}
      <Loaded query={scan} rows={1}>
        {(data) => (
          <>
            <dl className="facts">
              <Fact name={words.scan.checked}>
                <time dateTime={data.scanned_at} title={asMoment(data.scanned_at)}>
                  {ago(data.scanned_at)}
                </time>
              </Fact>
              <Fact name={words.scan.database}>{data.generation}</Fact>
              {data.reasons.length > 0 && (
                <Fact name={words.scan.reasons}>
                  <Reasons reasons={data.reasons} />
                </Fact>
              )}
            </dl>
            {data.history.length > 0 && (
              <details className="past">
                <summary>{fill(words.scan.history, { count: data.history.length })}</summary>
                <Verdicts verdicts={data.history} />
              </details>
            )}
          </>
        )}
      </Loaded>
      {previewFirst && noted === null && <p className="hint below">{words.scan.previewFirst}</p>}
      {deepScan === 'queued' && <p className="hint below">{words.scan.followed}</p>}
    </section>
  );
}

function Record({ link: { created_at: created, updated_at: updated, revoked_at: revoked } }: { link: LinkBody }) {
  return (
    <section className="card pad">
      <h2>{words.record.title}</h2>
      <dl className="facts">
        <Fact name={words.links.created}>{asMoment(created)}</Fact>
        <Fact name={words.record.updated}>{updated === created ? words.record.unchanged : asMoment(updated)}</Fact>
        {revoked !== null && <Fact name={words.links.statuses.revoked}>{asMoment(revoked)}</Fact>}
      </dl>
    </section>
  );
}
