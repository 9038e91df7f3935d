import { type AccountDetails, type CreatedAccount, once } from '../api.ts';
import {
  Check,
  ConfirmDialog,
  Field,
  FormDialog,
  type FormDialogProps,
  ShownOnce,
  textIn,
} from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asTime } from '../language.ts';
import { fill, words } from '../words.ts';
import { ReasonDialog } from './reason-dialog.tsx';

const t = words.admin.accounts;

export type Dialog =
  | { readonly what: 'create' }
  | { readonly what: 'sign-in-link'; readonly url: string; readonly until: string }
  | { readonly what: 'limit' | 'suspend' | 'lift'; readonly account: AccountDetails };

export function AccountDialog({ dialog, onOpen }: { dialog: Dialog; onOpen: (dialog: Dialog | undefined) => void }) {
  const refresh = useRefresh(['accounts']);
  const onClose = () => onOpen(undefined);
  if (dialog.what === 'create') {
    return (
      <CreateAccount
        onClose={onClose}
        onSent={({ sign_in_url: url, expires_at: until }) => {
          void refresh(t.created);
          if (url !== null && until !== null) onOpen({ what: 'sign-in-link', url, until });
        }}
      />
    );
  }
  if (dialog.what === 'sign-in-link') {
    return (
      <ShownOnce
        title={t.linkTitle}
        why={fill(t.linkWhy, { until: asTime(dialog.until) })}
        secret={dialog.url}
        copied={t.linkCopied}
        stored={t.linkStored}
        onClose={onClose}
      />
    );
  }
  const { email } = dialog.account;
  if (dialog.what === 'limit') {
    return <LimitDialog account={dialog.account} onClose={onClose} onSent={() => void refresh(t.limited)} />;
  }
  return dialog.what === 'suspend' ? (
    <ReasonDialog
      title={fill(t.suspendTitle, { email })}
      submitLabel={t.suspendAct}
      hint={t.suspendHint}
      isFinal
      send={(form) => once.admin.suspend(email, textIn(form, 'reason'))}
      onSent={() => void refresh(t.suspended)}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog
      title={fill(t.liftTitle, { email })}
      why={t.liftWhy}
      submitLabel={t.liftAct}
      isFinal={false}
      send={() => once.admin.resume(email)}
      onSent={() => void refresh(t.lifted)}
      onClose={onClose}
    />
  );
}

type Sending<T> = Pick<FormDialogProps<T>, 'onClose' | 'onSent'>;

function LimitDialog({ account, ...dialog }: Sending<unknown> & { account: AccountDetails }) {
  return (
    <FormDialog
      {...dialog}
      title={fill(t.limitTitle, { email: account.email })}
      submitLabel={t.limitAct}
      fields={['creations_per_hour']}
      send={(form) => {
        const limit = textIn(form, 'creations_per_hour');
        return once.admin.setLimit(account.email, limit === '' ? null : Number(limit));
      }}
    >
      {(error) => (
        <Field
          name="creations_per_hour"
          label={t.limit}
          type="number"
          value={String(account.creations_per_hour ?? '')}
          hint={t.limitHint}
          error={error}
          required={false}
          autoFocus
        />
      )}
    </FormDialog>
  );
}

function CreateAccount(dialog: Sending<CreatedAccount>) {
  return (
    <FormDialog
      {...dialog}
      title={t.create}
      submitLabel={t.create}
      fields={['email']}
      send={(form) =>
        once.admin.createAccount({
          email: textIn(form, 'email'),
          admin: textIn(form, 'admin') !== '',
          sign_in_link: textIn(form, 'sign_in_link') !== '',
        })
      }
    >
      {(error) => (
        <>
          <Field name="email" label={words.email} type="email" error={error} autoFocus />
          <Check label={t.withLink} name="sign_in_link" defaultChecked />
          <Check label={t.withAdmin} name="admin" />
        </>
      )}
    </FormDialog>
  );
}
