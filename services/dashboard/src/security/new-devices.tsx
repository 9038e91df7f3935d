import { Link } from 'wouter';
import { once } from '../api.ts';
import { Button, ErrorNote, Note } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useCredentials } from '../hooks/use-credentials.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asMoment } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { browserOf, placeOf } from './origin.ts';

const t = words.security;
const EVERY_MS = 5 * 60_000;

/** Tells the owner of sign-ins in browsers of a kind that the account did not have, but for this one. */
export function NewDevices() {
  const credentials = useCredentials(undefined, { refetchInterval: EVERY_MS, staleTime: 60_000 });
  const refresh = useRefresh(['credentials']);
  const confirm = useAction({
    mutationFn: (id: string) => once.call('confirmDevice', { path: { id } }),
    onSuccess: () => refresh(t.confirmed),
  });
  const { sessions = [], devices = [] } = credentials.data ?? {};
  const own = sessions.find(({ current }) => current);
  const isOwn = (device: (typeof devices)[number]) =>
    own !== undefined && browserOf(own) === browserOf(device) && own.country === device.country;
  return devices
    .filter((device) => !device.known && !isOwn(device))
    .map((device) => (
      <Note key={device.id} variant="flag told" icon="flagged" role="status">
        <b>
          {fill(t.newDevice, {
            where: [browserOf(device), ...placeOf(device)].join(', '),
            at: asMoment(device.first_at),
          })}
        </b>{' '}
        {t.wasItYou}
        <span className="acts">
          <Button isDisabled={confirm.isPending} onClick={() => confirm.mutate(device.id)}>
            {t.itWasMe}
          </Button>
          <Link className="btn danger" href={screens.security}>
            {t.title}
          </Link>
        </span>
        <ErrorNote error={confirm.error} />
      </Note>
    ));
}
