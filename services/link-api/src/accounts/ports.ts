import type { ConfiguredProvider, Identities } from './oidc/identity-provider.port.ts';
import type { PasskeyDeps } from './passkeys/answered-challenge.ts';
import type { SignInDeps } from './start-session.ts';

export interface AccountsPorts extends SignInDeps, PasskeyDeps {
  readonly identities: Identities;
  /** Undefined if no provider is configured. */
  readonly byProvider: ConfiguredProvider | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
}
