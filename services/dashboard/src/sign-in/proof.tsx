/** Asks the person to prove who they are, before the session adds what outlives it. */
import { useQueryClient } from '@tanstack/react-query';
import { type PropsWithChildren, useCallback, useId, useState } from 'react';
import { ApiError, once } from '../api.ts';
import { Awaited, Button, Dialog, ErrorNote, onForm, Password, textIn } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { useCredentials } from '../hooks/use-credentials.ts';
import { fill, words } from '../words.ts';
import { hasPasskeys, proveByPasskey } from './passkeys.ts';
import { useProvider } from './provider.ts';
import { Proving } from './proving.ts';

const t = words.proof;

export function ProofProvider({ children }: PropsWithChildren) {
  const [waiting, setWaiting] = useState<PromiseWithResolvers<void>>();
  const prove = useCallback(() => {
    const proof = Promise.withResolvers<void>();
    setWaiting(proof);
    return proof.promise;
  }, []);
  return (
    <Proving value={prove}>
      {children}
      {waiting !== undefined && (
        <ProofDialog
          onProven={() => {
            setWaiting(undefined);
            waiting.resolve();
          }}
          onClose={() => {
            setWaiting(undefined);
            waiting.reject(new ApiError(t.cancelled, { code: 'proof_needed', status: 403 }));
          }}
        />
      )}
    </Proving>
  );
}

function ProofDialog({ onProven, onClose }: { onProven: () => void; onClose: () => void }) {
  const id = useId();
  const queries = useQueryClient();
  const credentials = useCredentials();
  const provider = useProvider('beginProof');
  const prove = useAction({
    mutationFn: (proofStep: () => Promise<unknown>) => proofStep(),
    onSuccess: () => {
      // A request that was under way had the earlier cookie.
      void queries.invalidateQueries({ queryKey: ['account'] });
      onProven();
    },
  });
  const { has_password: hasPassword = false, passkeys = [], identities = [] } = credentials.data ?? {};
  const byPasskey = hasPasskeys && passkeys.length > 0;
  const byProvider = identities.length > 0 ? provider.name : undefined;
  const isNone = credentials.data !== undefined && !hasPassword && !byPasskey && byProvider === undefined;
  return (
    <Dialog
      title={t.title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          {hasPassword && (
            <Button type="submit" form={id} variant="primary" isDisabled={prove.isPending}>
              {t.submit}
            </Button>
          )}
        </>
      }
    >
      <p>{isNone ? t.none : t.why}</p>
      {credentials.data === undefined && <Awaited query={credentials} rows={1} />}
      {hasPassword && (
        <form
          id={id}
          className="form"
          onSubmit={onForm((form) => {
            const body = { current_password: textIn(form, 'current_password') };
            prove.mutate(() => once.call('proveSession', { body }));
          })}
        >
          <Password error={prove.error} autoFocus />
        </form>
      )}
      <div className="form">
        {byPasskey && (
          <Button isDisabled={prove.isPending} onClick={() => prove.mutate(proveByPasskey)}>
            {t.passkey}
          </Button>
        )}
        {byProvider !== undefined && (
          <Button isDisabled={provider.isPending} onClick={provider.leave}>
            {fill(t.provider, { name: byProvider })}
          </Button>
        )}
        <ErrorNote error={prove.error ?? provider.error} fields={['current_password']} />
      </div>
    </Dialog>
  );
}
