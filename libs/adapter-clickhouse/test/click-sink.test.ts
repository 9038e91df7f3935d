import { clickSinkContract } from '../../ports/src/contract/click-sink.contract.ts';
import { ENGINES, openClicks } from './engines.ts';

for (const [name, start] of ENGINES) clickSinkContract(`ClickHouse, ${name}`, () => openClicks(start));
