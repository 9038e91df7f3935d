import type { SignInDeps } from '../accounts/index.ts';
import type { AuditLog } from '../audit/index.ts';
import type { CredentialsPorts } from '../credentials/index.ts';
import type { LinkStore } from '../links/index.ts';
import type { Cases } from '../moderation/index.ts';
import type { EraseDeps } from './delete.ts';

export interface PrivacyPorts extends EraseDeps, Omit<CredentialsPorts, keyof SignInDeps>, SignInDeps {
  readonly audit: Pick<AuditLog, 'about' | 'refused'>;
  readonly links: Pick<LinkStore, 'oldest'>;
  readonly cases: Pick<Cases, 'list'>;
}
