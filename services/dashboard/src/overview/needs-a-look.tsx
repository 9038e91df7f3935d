import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Account, waypost } from '../api.ts';
import { Button, Card, ErrorNote, Foreign, Icon, type IconName, Skeleton, When } from '../components/index.ts';
import { ago, asMoment } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, labelOf, threat, words } from '../words.ts';
import { lastVisit } from './visits.ts';

const t = words.overview.look;

const DAY_MS = 24 * 60 * 60_000;
const FIRST_VISIT_MS = 30 * DAY_MS;
const KEY_ENDS_MS = 14 * DAY_MS;
const LINK_ENDS_MS = 7 * DAY_MS;
const REFETCH_MS = 60_000;
/** Lines of one part. */
const SHOWN = 5;

interface Line {
  readonly id: string;
  readonly subject: string;
  readonly what: string;
  readonly href: string;
  readonly at?: string | undefined;
  /** The reason of a decision, in the words of an administrator. */
  readonly reason?: string | null;
}

interface Part {
  readonly name: keyof typeof t.failed;
  readonly icon: IconName;
  /** Where all things of this part are listed. */
  readonly href: string;
  readonly queryKey: readonly unknown[];
  /** `since` is in milliseconds. */
  readonly read: (since: number, signal: AbortSignal) => Promise<readonly Line[]>;
}

const linkPath = (slug: string) => screens.link.replace(':slug', slug);
const lastChanged = { sort: 'updated_at', order: 'desc' } as const;

/** For administrators. A decision refetches what starts with this key. */
const CASES: Part = {
  name: 'cases',
  icon: 'admin',
  href: screens.cases,
  queryKey: ['cases', 'look'],
  read: async (_since, signal) => {
    const count = await waypost.admin.caseCount({ signal });
    const line = (kind: keyof typeof count, subject: string): readonly Line[] => {
      const { oldest_at: oldest } = count[kind];
      const href = `${screens.cases}?kind=${kind}`;
      return oldest === null ? [] : [{ id: kind, subject, what: t.decide, href, at: oldest }];
    };
    return [
      ...line('report', fill(t.reportsWait, { count: count.report.open })),
      ...line('review', fill(t.reviewsWait, { count: count.review.open })),
    ];
  },
};

/** If a part fails, the others stay. A change of links, webhooks or keys refetches what starts with its key. */
const PARTS: readonly Part[] = [
  {
    name: 'flagged',
    icon: 'flagged',
    href: `${screens.links}?status=flagged&sort=updated_at`,
    queryKey: ['links', 'flagged'],
    read: async (since, signal) => {
      const { data } = await waypost.list({ status: 'flagged', ...lastChanged, limit: SHOWN + 1 }, { signal });
      return data
        .filter(({ updated_at: at }) => Date.parse(at) > since)
        .map(({ slug, threat_type: type, updated_at: at }) => ({
          id: slug,
          subject: slug,
          what: fill(t.flagged, { what: threat(type ?? 'suspicious') }),
          href: linkPath(slug),
          at,
        }));
    },
  },
  {
    name: 'reviews',
    icon: 'admin',
    href: `${screens.links}?sort=updated_at`,
    queryKey: ['links', 'reviews'],
    read: async (since, signal) => {
      const query = { decided_since: new Date(since).toISOString(), limit: SHOWN + 1 };
      const { data } = await waypost.call('listReviewRequests', { query, signal });
      return data.map(({ number, slug, state, reason, decided_at: at }) => ({
        id: number,
        subject: slug,
        what: state === 'upheld' ? t.upheld : t.dismissed,
        href: linkPath(slug),
        at: at ?? undefined,
        reason,
      }));
    },
  },
  {
    name: 'ending',
    icon: 'link',
    href: `${screens.links}?sort=ends_at&order=asc&status=active`,
    queryKey: ['links', 'ending'],
    read: async (_since, signal) => {
      const query = { status: 'active', sort: 'ends_at', order: 'asc', limit: SHOWN + 1 } as const;
      const { data } = await waypost.list(query, { signal });
      return data.flatMap(({ slug, title, ends_at: at }) =>
        at === null || Date.parse(at) > Date.now() + LINK_ENDS_MS
          ? []
          : [{ id: slug, subject: title ?? slug, what: fill(t.linkEnds, { at: asMoment(at) }), href: linkPath(slug) }],
      );
    },
  },
  {
    name: 'webhooks',
    icon: 'webhook',
    href: screens.webhooks,
    queryKey: ['webhooks', 'failing'],
    read: async (_since, signal) => {
      const { data } = await waypost.listWebhooks({ signal });
      return data.flatMap(({ id, url, disabled_reason: reason, disabled_at: at, failing_since: failing }) => {
        const line = { id, subject: new URL(url).host, href: screens.webhook.replace(':id', id) };
        if (reason !== null && reason !== 'owner') {
          const off = at === null ? words.webhooks.off : fill(t.webhookOff, { at: asMoment(at) });
          return [{ ...line, what: `${off} ${labelOf(words.webhooks.reasons, reason)}` }];
        }
        if (reason !== null || failing === null) return [];
        return [{ ...line, what: fill(t.webhookFails, { at: asMoment(failing) }) }];
      });
    },
  },
  {
    name: 'keys',
    icon: 'key',
    href: screens.keys,
    queryKey: ['keys', 'ending'],
    read: async (_since, signal) => {
      const { data } = await waypost.keys({ signal });
      return data.flatMap(({ id, name, expires_at: at }) =>
        at === null || Date.parse(at) > Date.now() + KEY_ENDS_MS
          ? []
          : [{ id, subject: name, what: fill(t.keyEnds, { at: asMoment(at) }), href: screens.keys }],
      );
    },
  },
];

export function NeedsALook({ account: { email, admin } }: { account: Account }) {
  const parts = admin ? [CASES, ...PARTS] : PARTS;
  const [last] = useState(() => lastVisit(email, Date.now()));
  const [since] = useState(() => last ?? Date.now() - FIRST_VISIT_MS);
  const queries = useQueries({
    queries: parts.map(({ queryKey, read }) => ({
      queryKey: [...queryKey, since],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(since, signal),
      refetchInterval: REFETCH_MS,
    })),
  });
  const lineCount = queries.map(({ data }) => data?.length ?? 0).reduce((sum, count) => sum + count);
  const pending = queries.filter(({ isPending }) => isPending).length;
  return (
    <Card title={t.title}>
      {lineCount > 0 && (
        <ul className="looks">
          {parts.map((part, i) => (
            <Lines key={part.name} part={part} lines={queries[i]!.data} />
          ))}
        </ul>
      )}
      {pending > 0 && <Skeleton rows={pending} />}
      {parts.map(({ name }, i) => {
        const { isLoadingError, error, refetch } = queries[i]!;
        return (
          isLoadingError && (
            <div className="unread" key={name}>
              <b>{t.failed[name]}</b>
              <ErrorNote error={error} />
              <Button onClick={() => refetch()}>{words.again}</Button>
            </div>
          )
        );
      })}
      {queries.every(({ data }) => data?.length === 0) && <p className="lead-p">{t.nothing}</p>}
      {lineCount > 0 && (
        <p className="hint lead-p">
          {last === undefined ? t.firstVisit : fill(t.since, { at: asMoment(new Date(last).toISOString()) })}
        </p>
      )}
    </Card>
  );
}

function Lines({ part: { name, icon, href }, lines = [] }: { part: Part; lines: readonly Line[] | undefined }) {
  return (
    <>
      {lines.slice(0, SHOWN).map(({ id, subject, what, href, at, reason }) => (
        <li key={id}>
          <Icon name={icon} />
          <div>
            <Link href={href}>
              <bdi>{subject}</bdi>
            </Link>{' '}
            {at !== undefined && <When at={at} as={ago} variant="hint" />}
            <p>{what}</p>
            {reason != null && <Foreign variant="hint">{reason}</Foreign>}
          </div>
        </li>
      ))}
      {lines.length > SHOWN && (
        <li>
          <span className="i" />
          <Link href={href}>{t.all[name]}</Link>
        </li>
      )}
    </>
  );
}
