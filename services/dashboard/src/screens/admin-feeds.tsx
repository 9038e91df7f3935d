import { useQuery } from '@tanstack/react-query';
import { waypost } from '../api.ts';
import { ago, asMoment } from '../language.ts';
import { Loaded } from '../loaded.tsx';
import { Badge, Empty, Foreign, Head } from '../parts.tsx';
import { fill, words } from '../words.ts';

const said = words.admin.feeds;

export function Feeds() {
  const feeds = useQuery({
    queryKey: ['feeds'],
    queryFn: ({ signal }) => waypost.admin.feeds({ signal }),
    refetchInterval: 30_000,
  });
  return (
    <>
      <Head title={said.title} />
      <p className="hint">{said.lead}</p>
      <div className="card lead-p">
        <Loaded query={feeds} rows={4}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={said.none} />
            ) : (
              <table className="tbl flat">
                <caption className="sr">{said.title}</caption>
                <thead>
                  <tr>
                    <th>{said.name}</th>
                    <th className="w-at">{said.updated}</th>
                    <th className="w-state">{words.links.status}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map(({ name, entries, updated_at: at, stale, last_error: error }) => (
                    <tr key={name}>
                      <td>
                        <b>
                          <Foreign>{name}</Foreign>
                        </b>
                        <span className="hint below">{fill(said.entries, { count: entries })}</span>
                        {error !== null && (
                          <span className="hint below" lang="en">
                            <Foreign>{error}</Foreign>
                          </span>
                        )}
                      </td>
                      <td className="w-at when">
                        {at === null ? (
                          said.never
                        ) : (
                          <time dateTime={at} title={asMoment(at)}>
                            {ago(at)}
                          </time>
                        )}
                      </td>
                      <td className="w-state">
                        <Badge look={stale || error !== null ? 'flagged' : 'active'}>
                          {stale ? said.stale : error !== null ? said.failing : words.admin.health.well}
                        </Badge>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </div>
    </>
  );
}
