import { linkStoreContract } from '../../ports/src/contract/link-store.contract.ts';
import { openLinks } from './open-links.ts';

linkStoreContract('PostgreSQL', openLinks);
