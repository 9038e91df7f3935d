import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Case, once, waypost } from '../api.ts';
import { oneOf, useAsked } from '../asked.ts';
import { asMoment } from '../language.ts';
import { Older } from '../older.tsx';
import { Badge, Button, Choice, ErrorNote, Foreign, Head, Segments, Skeleton, Tag, textIn, useSay } from '../parts.tsx';
import screens from '../screens.json';
import { fill, threat, words } from '../words.ts';
import { LinkFacts } from './admin-link.tsx';
import { ReasonDialog, threatOf, threatOptions } from './admin-parts.tsx';

const KINDS = ['', 'report', 'review'] as const;
/** What waits comes first. */
const STATES = ['open', 'upheld', 'dismissed', 'all'] as const;
/** Each asks for its link. */
const PAGE_SIZE = 10;
const LOOKS = { open: 'flagged', upheld: 'active', dismissed: 'revoked' } as const;
const said = words.admin.cases;

export function Cases() {
  const queries = useQueryClient();
  const say = useSay();
  const [asked, ask] = useAsked();
  const [deciding, setDeciding] = useState<Case>();
  const kind = oneOf(KINDS, asked('kind'));
  const state = oneOf(STATES, asked('state'));
  const about = asked('about');
  return (
    <>
      <Head title={said.title} />
      <search className="filters">
        <Segments
          label={said.kind}
          options={KINDS.map((each) => [each, each === '' ? words.links.all : said.kinds[each]])}
          value={kind}
          onChange={(next) => ask({ kind: next })}
        />
        <Segments
          label={words.links.status}
          options={STATES.map((each) => [each, each === 'all' ? words.links.all : said.states[each]])}
          value={state}
          onChange={(next) => ask({ state: next })}
        />
        {about !== '' && <Button onClick={() => ask({ about: '' })}>{fill(said.notOnly, { slug: about })}</Button>}
      </search>
      <Older
        queryKey={['cases', { kind, state, about }]}
        ask={(before, signal) =>
          waypost.admin.cases(
            {
              limit: PAGE_SIZE,
              before,
              kind: kind === '' ? undefined : kind,
              state: state === 'all' ? undefined : state,
              about: about === '' ? undefined : about,
            },
            { signal },
          )
        }
        empty={state === 'open' ? said.none : words.links.nothing}
      >
        {(shown) => (
          <ul className="stack">
            {shown.map((each) => (
              <CaseCard key={each.number} found={each} onDecide={() => setDeciding(each)} />
            ))}
          </ul>
        )}
      </Older>
      {deciding !== undefined && (
        <Decide
          found={deciding}
          onClose={() => setDeciding(undefined)}
          onDecided={() => {
            say(said.decided);
            void queries.invalidateQueries({ queryKey: ['cases'] });
            void queries.invalidateQueries({ queryKey: ['any-link'] });
          }}
        />
      )}
    </>
  );
}

function CaseCard({ found, onDecide }: { found: Case; onDecide: () => void }) {
  const { slug, state, message, reason, decided_at: decidedAt } = found;
  return (
    <li className="card pad">
      <div className="chead">
        <h2>
          {said.one[found.kind]} <bdi>{found.number}</bdi>
        </h2>
        <Badge look={LOOKS[state]}>{said.states[state]}</Badge>
        {state === 'open' && (
          <Button label={fill(said.decideFor, { number: found.number })} onClick={onDecide}>
            {said.decide}
          </Button>
        )}
      </div>
      <p className="meta">
        <Link href={screens.anyLink.replace(':slug', slug)}>{slug}</Link>
        {found.category !== null && <Tag>{threat(found.category)}</Tag>}
        <span className="hint">{found.by_owner ? said.byOwner : said.byVisitor}</span>
        <time className="hint" dateTime={found.created_at}>
          {asMoment(found.created_at)}
        </time>
      </p>
      {message !== '' && (
        <blockquote>
          <Foreign>{message}</Foreign>
        </blockquote>
      )}
      {decidedAt !== null && (
        <p className="lead-p">
          {fill(said.decidedAt, { at: asMoment(decidedAt) })} {reason !== null && <Foreign>{reason}</Foreign>}
        </p>
      )}
      <AboutLink slug={slug} />
    </li>
  );
}

function AboutLink({ slug }: { slug: string }) {
  const link = useQuery({
    queryKey: ['any-link', slug],
    queryFn: ({ signal }) => waypost.admin.link(slug, { signal }),
  });
  if (link.data !== undefined) return <LinkFacts inspected={link.data} />;
  return link.error ? <ErrorNote error={link.error} /> : <Skeleton rows={1} />;
}

interface DecideProps {
  readonly found: Case;
  readonly onClose: () => void;
  readonly onDecided: () => void;
}

function Decide({ found: { number, kind, category }, onClose, onDecided }: DecideProps) {
  const { upheld, dismissed } = said.decisions[kind];
  return (
    <ReasonDialog
      title={fill(said.decideFor, { number })}
      act={said.decideAct}
      hint={said.reasonHint}
      send={(form) =>
        once.admin.decide(number, {
          decision: textIn(form, 'decision') === 'upheld' ? 'upheld' : 'dismissed',
          reason: textIn(form, 'reason'),
          ...(kind === 'report' && { threat_type: threatOf(textIn(form, 'threat_type')) }),
        })
      }
      onSent={onDecided}
      onClose={onClose}
    >
      <Choice
        name="decision"
        label={said.decision}
        options={[
          ['dismissed', dismissed],
          ['upheld', upheld],
        ]}
      />
      {kind === 'report' && (
        <Choice
          name="threat_type"
          label={words.admin.threat}
          options={threatOptions}
          value={threatOf(category ?? '')}
        />
      )}
    </ReasonDialog>
  );
}
