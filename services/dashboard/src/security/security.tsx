import { useState } from 'react';
import { Link } from 'wouter';
import { type AccountCredentials, once } from '../api.ts';
import { Button, Card, ConfirmDialog, Crumb, Foreign, Head, Loaded, Note } from '../components/index.ts';
import { useCredentials } from '../hooks/use-credentials.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asMoment } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { SessionList } from './session-list.tsx';

const t = words.security;

interface SecurityProps {
  /** The e-mail address of another account; undefined for the user's own account. */
  readonly of?: string;
}

/** Ends all sessions of an account, and removes what is ticked. */
export default function Security({ of: email }: SecurityProps) {
  const refresh = useRefresh(['credentials'], ['account'], ['passkeys'], ['keys'], ['webhooks']);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  const credentials = useCredentials(email);
  const tick = (id: string, isOn: boolean) => {
    const next = new Set(ticked);
    if (isOn) next.add(id);
    else next.delete(id);
    setTicked(next);
  };
  const secure = () => {
    const body = { remove: [...ticked].filter((id) => id !== PASSWORD), password: ticked.has(PASSWORD) };
    return email === undefined ? once.call('secureAccount', { body }) : once.admin.secure(email, body);
  };
  const count = ticked.size;
  return (
    <>
      {email === undefined ? (
        <Crumb href={screens.settings} list={words.settings.title}>
          {t.title}
        </Crumb>
      ) : (
        <Crumb href={screens.accounts} list={words.admin.accounts.title}>
          {email}
        </Crumb>
      )}
      <Head title={email === undefined ? t.title : fill(t.titleOf, { email })} />
      <p className="lead-p">{email === undefined ? t.why : t.whyOf}</p>
      <Loaded query={credentials} rows={6}>
        {(all) => (
          <>
            {isDone && (
              <Note variant="good lead-p" role="status">
                {email === undefined ? t.done : t.doneOf}{' '}
                {email === undefined && (
                  <Link className="through" href={screens.settings}>
                    {all.has_password ? t.changePassword : t.setPassword}
                  </Link>
                )}
              </Note>
            )}
            <div className="two">
              <Card title={t.remove}>
                <p className="hint lead-p">{t.removeWhy}</p>
                <Removals of={all} ticked={ticked} onTick={tick} />
                <div className="form">
                  <Button variant="danger-solid start" onClick={() => setOpen(true)}>
                    {count === 0 ? t.act : fill(t.actAnd, { count })}
                  </Button>
                </div>
              </Card>
              <Card title={words.settings.sessions}>
                <SessionList sessions={all.sessions} canEnd={email === undefined} />
              </Card>
            </div>
            {isOpen && (
              <ConfirmDialog<unknown>
                title={count === 0 ? t.act : fill(t.actAnd, { count })}
                why={email === undefined ? t.sure : t.sureOf}
                submitLabel={t.confirm}
                send={secure}
                onSent={() => {
                  setTicked(new Set());
                  setDone(true);
                  void refresh();
                }}
                onClose={() => setOpen(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const PASSWORD = 'password';

interface RemovalsProps {
  readonly of: AccountCredentials;
  readonly ticked: ReadonlySet<string>;
  readonly onTick: (id: string, isOn: boolean) => void;
}

function Removals({ of: all, ticked, onTick }: RemovalsProps) {
  const added = ({ created_at: at }: { readonly created_at: string }) => fill(t.added, { at: asMoment(at) });
  const rows = [
    ...(all.has_password ? [[PASSWORD, t.kinds.password, '', t.passwordWhy] as const] : []),
    ...all.passkeys.map((each) => [each.id, t.kinds.passkey, each.name, added(each)] as const),
    ...all.identities.map((each) => [each.id, t.kinds.identity, each.issuer, added(each)] as const),
    ...all.keys.map((each) => [each.id, t.kinds.key, each.name, added(each)] as const),
    ...all.webhooks.map((each) => [each.id, t.kinds.webhook, each.url, added(each)] as const),
  ];
  if (rows.length === 0) return <p className="hint lead-p">{t.nothing}</p>;
  return (
    <ul className="entries ticks">
      {rows.map(([id, kind, name, hint]) => (
        <li key={id}>
          <label className="check">
            <input
              type="checkbox"
              checked={ticked.has(id)}
              onChange={(event) => onTick(id, event.currentTarget.checked)}
            />
            <span>
              <b>{kind}</b> {name !== '' && <Foreign>{name}</Foreign>}
              <span className="hint">{hint}</span>
            </span>
          </label>
        </li>
      ))}
    </ul>
  );
}
