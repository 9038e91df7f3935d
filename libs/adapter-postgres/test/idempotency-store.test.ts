import { idempotencyStoreContract } from '../../ports/src/contract/idempotency-store.contract.ts';
import { openLinks } from './open-links.ts';

idempotencyStoreContract('PostgreSQL', openLinks);
