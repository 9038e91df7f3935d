import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Case, once, waypost } from '../api.ts';
import {
  Badge,
  Button,
  Choice,
  ErrorNote,
  Foreign,
  type FormDialogProps,
  Head,
  InfiniteList,
  Segments,
  Skeleton,
  Tag,
  textIn,
} from '../components/index.ts';
import { oneOf, orNone, useUrlState } from '../hooks/url-state.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asMoment } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, threat, words } from '../words.ts';
import { LinkFacts } from './any-link.tsx';
import { ReasonDialog, ThreatChoice, takeDownIn } from './reason-dialog.tsx';

const KINDS = ['', 'report', 'review'] as const;
const STATES = ['open', 'upheld', 'dismissed', 'all'] as const;
/** The page is small, because each case needs its own request for the link. */
const PAGE_SIZE = 10;
const LOOKS = { open: 'flagged', upheld: 'active', dismissed: 'revoked' } as const;
const t = words.admin.cases;

export function Cases() {
  const refresh = useRefresh(['cases'], ['any-link']);
  const [param, setParams] = useUrlState();
  const [open, setOpen] = useState<Case>();
  const kind = oneOf(KINDS, param('kind'));
  const state = oneOf(STATES, param('state'));
  const about = param('about');
  return (
    <>
      <Head title={t.title} />
      <search className="filters">
        <Segments
          label={t.kind}
          options={KINDS.map((each) => [each, each === '' ? words.links.all : t.kinds[each]])}
          value={kind}
          onChange={(next) => setParams({ kind: next })}
        />
        <Segments
          label={words.links.status}
          options={STATES.map((each) => [each, each === 'all' ? words.links.all : t.states[each]])}
          value={state}
          onChange={(next) => setParams({ state: next })}
        />
        {about !== '' && <Button onClick={() => setParams({ about: '' })}>{fill(t.notOnly, { slug: about })}</Button>}
      </search>
      <InfiniteList
        queryKey={['cases', { kind, state, about }]}
        read={(before, signal) =>
          waypost.admin.cases(
            {
              limit: PAGE_SIZE,
              before,
              kind: orNone(kind),
              state: state === 'all' ? undefined : state,
              about: orNone(about),
            },
            { signal },
          )
        }
        empty={state === 'open' ? t.none : words.links.nothing}
      >
        {(cases) => (
          <ul className="stack">
            {cases.map((each) => (
              <CaseCard key={each.number} item={each} onDecide={() => setOpen(each)} />
            ))}
          </ul>
        )}
      </InfiniteList>
      {open !== undefined && (
        <Decide item={open} onClose={() => setOpen(undefined)} onSent={() => void refresh(t.decided)} />
      )}
    </>
  );
}

function CaseCard({ item, onDecide }: { item: Case; onDecide: () => void }) {
  const { slug, state, message, reason, decided_at: decidedAt } = item;
  return (
    <li className="card pad">
      <div className="chead">
        <h2>
          {t.one[item.kind]} <bdi>{item.number}</bdi>
        </h2>
        <Badge status={LOOKS[state]}>{t.states[state]}</Badge>
        {state === 'open' && (
          <Button label={fill(t.decideFor, { number: item.number })} onClick={onDecide}>
            {t.decide}
          </Button>
        )}
      </div>
      <p className="meta">
        <Link href={screens.anyLink.replace(':slug', slug)}>{slug}</Link>
        {item.category !== null && <Tag>{threat(item.category)}</Tag>}
        <span className="hint">{item.by_owner ? t.byOwner : t.byVisitor}</span>
        <time className="hint" dateTime={item.created_at}>
          {asMoment(item.created_at)}
        </time>
      </p>
      {message !== '' && (
        <blockquote>
          <Foreign>{message}</Foreign>
        </blockquote>
      )}
      {decidedAt !== null && (
        <p className="lead-p">
          {fill(t.decidedAt, { at: asMoment(decidedAt) })} {reason !== null && <Foreign>{reason}</Foreign>}
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

function Decide({ item, ...dialog }: { item: Case } & Pick<FormDialogProps<unknown>, 'onClose' | 'onSent'>) {
  const { number, kind, category } = item;
  const { upheld, dismissed } = t.decisions[kind];
  return (
    <ReasonDialog
      {...dialog}
      title={fill(t.decideFor, { number })}
      submitLabel={t.decideAct}
      hint={t.reasonHint}
      send={(form) =>
        once.admin.decide(number, {
          decision: textIn(form, 'decision') === 'upheld' ? 'upheld' : 'dismissed',
          reason: textIn(form, 'reason'),
          ...(kind === 'report' && takeDownIn(form)),
        })
      }
    >
      <Choice
        name="decision"
        label={t.decision}
        options={[
          ['dismissed', dismissed],
          ['upheld', upheld],
        ]}
      />
      {kind === 'report' && <ThreatChoice type={category ?? ''} />}
    </ReasonDialog>
  );
}
