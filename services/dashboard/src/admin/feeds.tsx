import { useQuery } from '@tanstack/react-query';
import { waypost } from '../api.ts';
import { Badge, Empty, Foreign, Head, Loaded, Table, When } from '../components/index.ts';
import { ago } from '../language.ts';
import { fill, words } from '../words.ts';
import { OwnListings } from './own-listings.tsx';

const t = words.admin.feeds;

export function Feeds() {
  const feeds = useQuery({
    queryKey: ['feeds'],
    queryFn: ({ signal }) => waypost.admin.feeds({ signal }),
    refetchInterval: 30_000,
  });
  return (
    <>
      <Head title={t.title} />
      <p className="hint">{t.lead}</p>
      {feeds.data !== undefined && <OwnListings {...feeds.data} />}
      <div className="card lead-p">
        <Loaded query={feeds} rows={4}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.none} />
            ) : (
              <Table caption={t.title} heads={[[t.name], [t.updated, 'w-at'], [words.links.status, 'w-state']]}>
                {data.map(({ name, entries, updated_at: at, stale, last_error: error }) => (
                  <tr key={name}>
                    <td>
                      <b>
                        <Foreign>{name}</Foreign>
                      </b>
                      <span className="hint below">{fill(t.entries, { count: entries })}</span>
                      {error !== null && (
                        <Foreign variant="hint below" lang="en">
                          {error}
                        </Foreign>
                      )}
                    </td>
                    <td className="w-at when">{at === null ? t.never : <When at={at} as={ago} />}</td>
                    <td className="w-state">
                      <Badge status={stale || error !== null ? 'flagged' : 'active'}>
                        {stale ? t.stale : error !== null ? t.failing : words.admin.health.well}
                      </Badge>
                    </td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Loaded>
      </div>
    </>
  );
}
