import { useState } from 'react';
import { type AccountCredentials, once } from '../api.ts';
import { Badge, Button, ConfirmDialog } from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { ago, asMoment } from '../language.ts';
import { fill, labelOf, words } from '../words.ts';
import { browserOf, placeOf } from './origin.ts';

const t = words.security;
type Session = AccountCredentials['sessions'][number];

export function SessionList({ sessions, canEnd }: { sessions: readonly Session[]; canEnd: boolean }) {
  const refresh = useRefresh(['credentials']);
  const [open, setOpen] = useState<Session>();
  if (sessions.length === 0) return <p className="hint lead-p">{t.noSessions}</p>;
  return (
    <>
      <ul className="entries">
        {sessions.map((session) => (
          <li key={session.id}>
            <span>
              <b>{browserOf(session)}</b>
              <span className="hint">
                {[...placeOf(session), labelOf(words.admin.audit.vias, session.via)].join(', ')}
              </span>
              <span className="hint">
                {fill(t.began, { at: asMoment(session.started_at), used: ago(session.last_used_at) })}
              </span>
            </span>
            {session.current ? (
              <Badge status="active">{t.current}</Badge>
            ) : (
              canEnd && (
                <Button
                  variant="quiet danger"
                  label={fill(t.endFor, { browser: browserOf(session), at: asMoment(session.started_at) })}
                  onClick={() => setOpen(session)}
                >
                  {t.end}
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <ConfirmDialog
          title={fill(t.endTitle, { browser: browserOf(open) })}
          why={t.endWhy}
          submitLabel={t.endAct}
          send={() => once.call('endSession', { path: { id: open.id } })}
          onSent={() => void refresh(t.ended)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
