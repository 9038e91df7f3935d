import { linkExpressionsContract } from '../../ports/src/contract/link-expressions.contract.ts';
import { openLinks } from './open-links.ts';

linkExpressionsContract('PostgreSQL', openLinks);
