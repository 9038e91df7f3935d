import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, type InspectedLink, waypost } from '../api.ts';
import { asMoment } from '../language.ts';
import {
  Choice,
  Destination,
  Field,
  Foreign,
  Icon,
  LoadError,
  Skeleton,
  Status,
  shortUrl,
  Title,
  textIn,
  useSay,
} from '../parts.tsx';
import screens from '../screens.json';
import { threat, words } from '../words.ts';
import { ReasonDialog, threatOf, threatOptions } from './admin-parts.tsx';
import { Verdicts } from './verdicts.tsx';

const said = words.admin.link;

/** Of what stands on a page or in a report: an address, or its end. */
const slugIn = (text: string) => text.trim().split('/').at(-1)?.split(/[?#+]/)[0] ?? '';

export function FindLink() {
  const [, go] = useLocation();
  return (
    <>
      <div className="head">
        <Title>{said.title}</Title>
      </div>
      <form
        className="card pad narrow-field field"
        onSubmit={(event) => {
          event.preventDefault();
          const slug = slugIn(textIn(event.currentTarget, 'slug'));
          if (slug !== '') go(screens.anyLink.replace(':slug', encodeURIComponent(slug)));
        }}
      >
        <Field name="slug" label={said.find} hint={said.findHint} />
        <button className="btn primary start" type="submit">
          {said.show}
        </button>
      </form>
    </>
  );
}

export function AnyLink({ slug, base }: { slug: string; base: string }) {
  const queries = useQueryClient();
  const say = useSay();
  const [open, setOpen] = useState<'take-down' | 'review'>();
  const found = useQuery({
    queryKey: ['any-link', slug],
    queryFn: ({ signal }) => waypost.admin.link(slug, { signal }),
  });
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    say(text);
    void queries.invalidateQueries({ queryKey: ['any-link', slug] });
  };
  if (found.data === undefined) {
    // A `TypeError`: what stands in the address can be no slug.
    if (found.error instanceof TypeError || (found.error instanceof ApiError && found.error.status === 404))
      return (
        <div className="empty">
          <Title>{said.missing}</Title>
          <Link href={screens.anyLinks}>{said.another}</Link>
        </div>
      );
    return found.error ? <LoadError error={found.error} retry={() => found.refetch()} /> : <Skeleton rows={6} />;
  }
  const { link } = found.data;
  const short = shortUrl(base, slug);
  return (
    <>
      <nav className="crumb" aria-label={words.link.crumb}>
        <Link href={screens.anyLinks}>{said.title}</Link>
        <Icon name="forth" />
        <span>{slug}</span>
      </nav>
      <div className="top">
        <div>
          <div className="h1slug">
            <Title>{short}</Title>
          </div>
          <p className="meta">
            <Link href={`${screens.cases}?${new URLSearchParams({ about: slug, state: 'all' })}`}>{said.cases}</Link>
            <Link href={`${screens.audit}?${new URLSearchParams({ subject: slug })}`}>{words.admin.audit.title}</Link>
          </p>
        </div>
        <div className="acts">
          {link.status === 'flagged' && (
            <button type="button" className="btn" onClick={() => setOpen('review')}>
              {said.review}
            </button>
          )}
          {link.status !== 'revoked' && (
            <button type="button" className="btn danger" onClick={() => setOpen('take-down')}>
              {said.takeDown}
            </button>
          )}
        </div>
      </div>
      <section className="card pad">
        <LinkFacts inspected={found.data} />
      </section>
      {open === 'take-down' && (
        <ReasonDialog
          title={said.takeDownTitle(short)}
          act={said.takeDownAct}
          hint={said.takeDownHint}
          isFinal
          send={(form) =>
            waypost.admin.takeDown(slug, {
              threat_type: threatOf(textIn(form, 'threat_type')),
              reason: textIn(form, 'reason'),
            })
          }
          onSent={() => done(said.takenDown)}
          onClose={close}
        >
          <p>{said.takeDownWhy}</p>
          <Choice name="threat_type" label={words.admin.threat} options={threatOptions} />
        </ReasonDialog>
      )}
      {open === 'review' && (
        <ReasonDialog
          title={said.reviewTitle(short)}
          act={said.reviewAct}
          hint={said.reviewHint}
          send={(form) =>
            waypost.admin.review(slug, {
              decision: textIn(form, 'decision') === 'clear' ? 'clear' : 'keep',
              reason: textIn(form, 'reason'),
            })
          }
          onSent={(now) => done(now.status === 'flagged' ? said.kept : said.cleared)}
          onClose={close}
        >
          <Choice
            name="decision"
            label={words.admin.cases.decision}
            options={[
              ['keep', said.keep],
              ['clear', said.clear],
            ]}
          />
        </ReasonDialog>
      )}
    </>
  );
}

/** What it is, whose, and why. */
export function LinkFacts({ inspected: { link, owner, verdicts } }: { inspected: InspectedLink }) {
  return (
    <dl className="facts">
      <div>
        <dt>{words.links.status}</dt>
        <dd>
          <Status status={link.status} /> {link.threat_type !== null && words.scan.suspected(threat(link.threat_type))}
        </dd>
      </div>
      <div>
        <dt>{words.many.destination}</dt>
        <dd>
          <Destination url={link.destination_url} full />
        </dd>
      </div>
      <div>
        <dt>{said.owner}</dt>
        <dd>
          <Foreign>{owner}</Foreign>
        </dd>
      </div>
      <div>
        <dt>{words.links.created}</dt>
        <dd>{asMoment(link.created_at)}</dd>
      </div>
      {link.take_down_reason !== null && (
        <div>
          <dt>{said.takeDownReason}</dt>
          <dd>
            <Foreign>{link.take_down_reason}</Foreign>
          </dd>
        </div>
      )}
      <div>
        <dt>{said.verdicts}</dt>
        <dd>{verdicts.length === 0 ? said.noVerdicts : <Verdicts verdicts={verdicts} />}</dd>
      </div>
    </dl>
  );
}
