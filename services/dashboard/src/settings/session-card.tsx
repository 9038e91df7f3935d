import { Link } from 'wouter';
import { Button, Card, ErrorNote, Loaded } from '../components/index.ts';
import { useCredentials } from '../hooks/use-credentials.ts';
import screens from '../screens.json' with { type: 'json' };
import { SessionList } from '../security/session-list.tsx';
import { words } from '../words.ts';
import { useLeave } from './use-leave.ts';

const t = words.settings;

export function SessionCard() {
  const leave = useLeave();
  const credentials = useCredentials();
  return (
    <Card title={t.sessions}>
      <Loaded query={credentials} rows={2}>
        {({ sessions }) => <SessionList sessions={sessions} canEnd />}
      </Loaded>
      <div className="form">
        <Button variant="start" onClick={() => leave.mutate(false)}>
          {t.signOut}
        </Button>
        <p className="hint">{t.everywhereWhy}</p>
        <Button variant="danger start" onClick={() => leave.mutate(true)}>
          {t.everywhere}
        </Button>
        <ErrorNote error={leave.error} isAction />
        <p className="hint">{t.notMeWhy}</p>
        <Link className="btn danger start" href={screens.security}>
          {words.security.title}
        </Link>
      </div>
    </Card>
  );
}
