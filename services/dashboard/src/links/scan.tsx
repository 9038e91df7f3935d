import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { type Link, waypost } from '../api.ts';
import { Card, Fact, Loaded, Note, When } from '../components/index.ts';
import { ago } from '../language.ts';
import { fill, threat, words } from '../words.ts';
import { Reasons, Verdicts } from './verdicts.tsx';

const t = words.scan;

export function Scan({ link }: { link: Link }) {
  const { slug, threat_type: type } = link;
  const scan = useQuery({
    queryKey: ['link', slug, 'scan'],
    queryFn: ({ signal }) => waypost.scan(slug, { signal }),
  });
  const warnedType = scan.data?.outcome === 'warned' ? scan.data.threat_type : null;
  return (
    <Card title={t.title}>
      {type !== null ? (
        <Finding variant="flag" icon="flagged" title={fill(t.suspected, { what: threat(type) })}>
          {t.suspectedWhy}
        </Finding>
      ) : warnedType !== null ? (
        <Finding icon="eye" title={fill(t.noted, { what: threat(warnedType) })}>
          {t.notedWhy}
        </Finding>
      ) : (
        scan.data !== undefined && (
          <Finding variant="good" icon="tick" title={t.clean}>
            {t.cleanWhy}
          </Finding>
        )
      )}
      <Loaded query={scan} rows={1}>
        {(data) => (
          <>
            <dl className="facts">
              <Fact name={t.checked}>
                <When at={data.scanned_at} as={ago} />
              </Fact>
              <Fact name={t.database}>{data.generation}</Fact>
              {data.reasons.length > 0 && (
                <Fact name={t.reasons}>
                  <Reasons reasons={data.reasons} />
                </Fact>
              )}
            </dl>
            {data.history.length > 0 && (
              <details className="past">
                <summary>{fill(t.history, { count: data.history.length })}</summary>
                <Verdicts verdicts={data.history} />
              </details>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Finding({ title, children, ...note }: ComponentProps<typeof Note> & { title: string }) {
  return (
    <Note {...note}>
      <b>{title}</b>
      <br />
      {children}
    </Note>
  );
}
