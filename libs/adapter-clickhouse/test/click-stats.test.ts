import { clickStatsContract } from '../../ports/src/contract/click-stats.contract.ts';
import { ENGINES, openClicks } from './engines.ts';

for (const [name, start] of ENGINES) clickStatsContract(`ClickHouse, ${name}`, () => openClicks(start));
