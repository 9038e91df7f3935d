import { useState } from 'react';
import { type AccountCredentials, once } from '../api.ts';
import { Button, Card, ConfirmDialog, ErrorNote, Foreign } from '../components/index.ts';
import { useCredentials } from '../hooks/use-credentials.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asDay } from '../language.ts';
import { useProvider } from '../sign-in/provider.ts';
import { fill, words } from '../words.ts';

const t = words.identities;

/** Shown only if a provider is configured, or was when an identity was connected. */
export function IdentityCard() {
  const refresh = useRefresh(['credentials']);
  const [open, setOpen] = useState<AccountCredentials['identities'][number]>();
  const credentials = useCredentials();
  const provider = useProvider('beginIdentity');
  const { identities = [] } = credentials.data ?? {};
  if (provider.name === undefined && identities.length === 0) return null;
  return (
    <Card title={provider.name ?? t.title}>
      <p className="hint lead-p">{identities.length === 0 ? t.none : t.why}</p>
      <ul className="entries">
        {identities.map((identity) => (
          <li key={identity.id}>
            <span>
              <b>
                <Foreign>{identity.subject}</Foreign>
              </b>
              <span className="hint">
                <Foreign>{identity.issuer}</Foreign>, {fill(t.added, { date: asDay(identity.created_at) })}
              </span>
            </span>
            <Button
              variant="quiet danger"
              label={fill(t.removeFor, { subject: identity.subject })}
              onClick={() => setOpen(identity)}
            >
              {words.passkeys.remove}
            </Button>
          </li>
        ))}
      </ul>
      {provider.name !== undefined && identities.length === 0 && (
        <div className="form">
          <Button variant="start" isDisabled={provider.isPending} onClick={provider.leave}>
            {fill(t.connect, { name: provider.name })}
          </Button>
          <ErrorNote error={provider.error} />
        </div>
      )}
      {open !== undefined && (
        <ConfirmDialog
          title={t.removeTitle}
          why={t.removeWhy}
          submitLabel={t.removeAct}
          send={() => once.call('removeIdentity', { path: { id: open.id } })}
          onSent={() => void refresh(t.removed)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Card>
  );
}
