import { useQuery } from '@tanstack/react-query';
import { waypost } from '../api.ts';
import { Awaited, Badge, Foreign, Head, Note, Table, When } from '../components/index.ts';
import { ago } from '../language.ts';
import { words } from '../words.ts';

export function Health() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => waypost.readiness({ signal }),
    refetchInterval: 10_000,
  });
  // Apart, because the public answer is there without the database, too.
  const details = useQuery({
    queryKey: ['health-details'],
    queryFn: ({ signal }) => waypost.admin.health({ signal }),
    refetchInterval: 10_000,
  });
  const t = words.admin.health;
  return (
    <>
      <Head title={t.title} />
      {health.data === undefined ? (
        <div className="card">
          <Awaited query={health} rows={4} />
        </div>
      ) : (
        <>
          <Note variant={health.data.status === 'ready' ? 'good' : 'flag'}>
            {health.data.status === 'ready' ? t.ready : t.notReady}
          </Note>
          <div className="card lead-p">
            <Table caption={t.title} heads={[[t.part], [words.links.status, 'w-state']]}>
              {Object.entries(health.data.dependencies).map(([name, { ok }]) => {
                const { detail = null, last_done_at: at = null } =
                  details.data?.data.find((each) => each.name === name) ?? {};
                return (
                  <tr key={name}>
                    <td>
                      <b>{name}</b>
                      {at !== null && <When at={at} as={ago} variant="hint below" />}
                      {detail !== null && (
                        <Foreign variant="hint below" lang="en">
                          {detail}
                        </Foreign>
                      )}
                    </td>
                    <td className="w-state">
                      <Badge status={ok ? 'active' : 'flagged'}>{ok ? t.well : t.away}</Badge>
                    </td>
                  </tr>
                );
              })}
            </Table>
          </div>
        </>
      )}
    </>
  );
}
