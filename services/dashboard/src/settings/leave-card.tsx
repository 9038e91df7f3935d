import { useState } from 'react';
import { type Account, isSignedOut, once } from '../api.ts';
import { Button, Card, download, ErrorNote, Field, FormDialog, isGone, Password, textIn } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { fill, words } from '../words.ts';

const t = words.leave;

async function everything(): Promise<string[]> {
  const first = await once.call('exportAccount');
  const links = [...first.links];
  for (let { next } = first; next !== null; ) {
    const page = await once.call('exportAccount', { query: { after: next } });
    links.push(...page.links);
    next = page.next;
  }
  return [JSON.stringify({ ...first.person, links }, null, 2)];
}

export function LeaveCard({ account }: { account: Account }) {
  const [isOpen, setOpen] = useState(false);
  const save = useAction({
    mutationFn: everything,
    onSuccess: (parts) => download('waypost-account.json', parts, 'application/json'),
  });
  return (
    <Card title={t.title}>
      <div className="form">
        <p className="hint">{t.exportWhy}</p>
        <Button variant="start" isDisabled={save.isPending} onClick={() => save.mutate()}>
          {t.export}
        </Button>
        <ErrorNote error={save.error} />
        <p className="hint">{t.why}</p>
        <Button variant="danger start" onClick={() => setOpen(true)}>
          {t.delete}
        </Button>
      </div>
      {isOpen && <LeaveDialog account={account} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function LeaveDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const password = (form: HTMLFormElement) =>
    account.has_password && { current_password: textIn(form, 'current_password') };
  return (
    <FormDialog<unknown>
      title={t.delete}
      submitLabel={t.act}
      isFinal
      fields={account.has_password ? ['email', 'current_password'] : ['email']}
      send={(form) => once.call('deleteAccount', { body: { email: textIn(form, 'email'), ...password(form) } })}
      // The session ends with the account, so the answer 401 means that the account was deleted.
      lookUp={() => isGone(once.account(), isSignedOut)}
      // A full page load removes all data of the account from memory.
      onSent={() => location.assign('/')}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>{t.why}</p>
          <Field name="email" label={t.email} hint={fill(t.emailHint, { email: account.email })} error={error} />
          {account.has_password && <Password error={error} />}
        </>
      )}
    </FormDialog>
  );
}
