import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type InspectedLink, once, waypost } from '../api.ts';
import { asMoment } from '../language.ts';
import { NotThere } from '../loaded.tsx';
import {
  Button,
  Choice,
  Crumb,
  Destination,
  Fact,
  Field,
  Foreign,
  Head,
  onForm,
  Status,
  shortUrl,
  Title,
  textIn,
  useSay,
} from '../parts.tsx';
import screens from '../screens.json';
import { fill, threat, words } from '../words.ts';
import { ReasonDialog, threatOf, threatOptions } from './admin-parts.tsx';
import { Verdicts } from './verdicts.tsx';

const said = words.admin.link;

/** Of what stands on a page or in a report: an address, or its end. */
const slugIn = (text: string) => text.trim().split('/').at(-1)?.split(/[?#+]/)[0] ?? '';

export function FindLink() {
  const [, go] = useLocation();
  return (
    <>
      <Head title={said.title} />
      <form
        className="card pad narrow-field field"
        onSubmit={onForm((form) => {
          const slug = slugIn(textIn(form, 'slug'));
          if (slug !== '') go(screens.anyLink.replace(':slug', encodeURIComponent(slug)));
        })}
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
    say(text);
    void queries.invalidateQueries({ queryKey: ['any-link', slug] });
  };
  if (found.data === undefined)
    return (
      <NotThere query={found} missing={said.missing}>
        <Link href={screens.anyLinks}>{said.another}</Link>
      </NotThere>
    );
  const { link } = found.data;
  const short = shortUrl(base, slug);
  return (
    <>
      <Crumb href={screens.anyLinks} list={said.title}>
        {slug}
      </Crumb>
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
          {link.status === 'flagged' && <Button onClick={() => setOpen('review')}>{said.review}</Button>}
          {link.status !== 'revoked' && (
            <Button look="danger" onClick={() => setOpen('take-down')}>
              {said.takeDown}
            </Button>
          )}
        </div>
      </div>
      <section className="card pad">
        <LinkFacts inspected={found.data} />
      </section>
      {open === 'take-down' && (
        <ReasonDialog
          title={fill(said.takeDownTitle, { short })}
          act={said.takeDownAct}
          hint={said.takeDownHint}
          isFinal
          send={(form) =>
            once.admin.takeDown(slug, {
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
          title={fill(said.reviewTitle, { short })}
          act={said.reviewAct}
          hint={said.reviewHint}
          send={(form) =>
            once.admin.review(slug, {
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
      <Fact name={words.links.status}>
        <Status status={link.status} />{' '}
        {link.threat_type !== null && fill(words.scan.suspected, { what: threat(link.threat_type) })}
      </Fact>
      <Fact name={words.many.destination}>
        <Destination url={link.destination_url} full />
      </Fact>
      <Fact name={said.owner}>
        <Foreign>{owner}</Foreign>
      </Fact>
      <Fact name={words.links.created}>{asMoment(link.created_at)}</Fact>
      {link.take_down_reason !== null && (
        <Fact name={said.takeDownReason}>
          <Foreign>{link.take_down_reason}</Foreign>
        </Fact>
      )}
      <Fact name={said.verdicts}>{verdicts.length === 0 ? said.noVerdicts : <Verdicts verdicts={verdicts} />}</Fact>
    </dl>
  );
}
