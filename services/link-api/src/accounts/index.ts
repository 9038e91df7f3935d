import type { Database } from '@waypost/postgres';
import type { OriginPorts } from '../platform/http/origin.ts';
import { slice } from '../platform/slice.ts';
import { postgresAccounts } from './accounts.sql.ts';
import { changePasswordEndpoint } from './change-password.endpoint.ts';
import { confirmDeviceEndpoint } from './confirm-device.endpoint.ts';
import { createAccountEndpoint } from './create.endpoint.ts';
import { endSessionEndpoint } from './end-session.endpoint.ts';
import { endSessionsEndpoint } from './end-sessions.endpoint.ts';
import { firstRunEndpoint } from './first-run.endpoint.ts';
import { getAccountEndpoint } from './get.endpoint.ts';
import { getSessionEndpoint } from './get-session.endpoint.ts';
import { getSignInOptionsEndpoint } from './get-sign-in-options.endpoint.ts';
import { listAccountsEndpoint } from './list.endpoint.ts';
import { beginProviderSignInEndpoint, inSession } from './oidc/begin.endpoint.ts';
import { postgresIdentities } from './oidc/identities.sql.ts';
import { providerSignIn } from './oidc/provider-sign-in.http.ts';
import { removeIdentityEndpoint } from './oidc/remove-identity.endpoint.ts';
import { beginPasskeyEndpoint, createPasskeyEndpoint } from './passkeys/create.endpoint.ts';
import { deletePasskeyEndpoint } from './passkeys/delete.endpoint.ts';
import { listPasskeysEndpoint } from './passkeys/list.endpoint.ts';
import { postgresPasskeys } from './passkeys/passkeys.sql.ts';
import { beginSignInByPasskeyEndpoint, signInByPasskeyEndpoint } from './passkeys/sign-in.endpoint.ts';
import type { AccountsPorts } from './ports.ts';
import { proveSessionEndpoint } from './prove-session.endpoint.ts';
import { postgresSessions, postgresSignInAttempts } from './sessions.sql.ts';
import { setLimitEndpoint } from './set-limit.endpoint.ts';
import { signInEndpoint } from './sign-in.endpoint.ts';
import { signInLink } from './sign-in-link.http.ts';
import { signOutEndpoint } from './sign-out.endpoint.ts';

export const accounts = slice({
  endpoints: [
    getSessionEndpoint,
    signInEndpoint,
    signOutEndpoint,
    getSignInOptionsEndpoint,
    signInByPasskeyEndpoint,
    beginSignInByPasskeyEndpoint,
    beginProviderSignInEndpoint,
    firstRunEndpoint,
    getAccountEndpoint,
    listPasskeysEndpoint,
    beginPasskeyEndpoint,
    createPasskeyEndpoint,
    deletePasskeyEndpoint,
    changePasswordEndpoint,
    endSessionsEndpoint,
    proveSessionEndpoint,
    endSessionEndpoint,
    confirmDeviceEndpoint,
    removeIdentityEndpoint,
    ...inSession,
    listAccountsEndpoint,
    createAccountEndpoint,
    setLimitEndpoint,
  ],
  open: (ports: AccountsPorts & OriginPorts) => ({
    ports,
    routes: ({ reportError }) => {
      const router = signInLink(ports);
      if (ports.byProvider !== undefined) router.use(providerSignIn(ports, ports.byProvider, reportError));
      return router;
    },
    secretPaths: ['/sign-in/', '/first-run/'],
    forget: [(now) => ports.sessions.forget(now)],
  }),
});

export const accountStores = (db: Database, limits: { readonly creationsPerHour: number }) => ({
  accounts: postgresAccounts(db),
  sessions: postgresSessions(db, limits),
  attempts: postgresSignInAttempts(db),
  passkeys: postgresPasskeys(db),
  identities: postgresIdentities(db),
});

export { changingAccount, lockAccount } from './account-rows.sql.ts';
export type { Account, AccountDetails, Accounts } from './accounts.port.ts';
export { ACCOUNT, accountDetails, EMAIL_SCHEMA, emailParam, presentAccount, SUSPENDED } from './accounts.schema.ts';
export { accountOf } from './accounts.ts';
export { changeOfAccount } from './audited.ts';
export { CALLER, type CallerRow, callerOf, creationsOf, ITS_ACCOUNT, marking, type QuotaRow } from './callers.sql.ts';
export { deleteAccountRow, lockForDeletion } from './delete.sql.ts';
export { accountErrors } from './errors.http.ts';
export { newFirstRun } from './first-run.ts';
export { ATTEMPTS } from './limits.ts';
export type { Identities } from './oidc/identity-provider.port.ts';
export { configuredProvider } from './oidc/provider.adapter.ts';
export { removeIdentity } from './oidc/sign-in-by-provider.ts';
export { webAuthnCeremonies } from './passkeys/ceremonies.adapter.ts';
export { deletePasskey } from './passkeys/delete.ts';
export type { Passkeys } from './passkeys/passkeys.port.ts';
export { PASSKEY, passkeyBody, presentPasskey } from './passkeys/passkeys.schema.ts';
export { notProven, proveOwner } from './prove-owner.ts';
export { sessionCookie, sessionToken } from './session-cookie.ts';
export type { OwnerProof, Sessions } from './sessions.port.ts';
export {
  DEVICE,
  deviceBody,
  IDENTITY,
  identityBody,
  presentDevice,
  presentIdentity,
  presentSession,
  SESSION,
  sessionBody,
} from './sessions.schema.ts';
export { beginSession, type SignInDeps } from './start-session.ts';
