/** A consumer for tests to kill: `node consumer-process.ts <brokers> <group>` prints each text on `clicks`. */
import { TEXTS } from '@waypost/contracts/texts';
import { SILENT } from '@waypost/test-support';
import { kafkaBus } from '../src/index.ts';
import { QUICK } from './quick.ts';

const [brokers, group] = process.argv.slice(2);
const onFatal = (error: Error) => {
  console.error(error);
  process.exit(1);
};
const bus = kafkaBus({ brokers: brokers!.split(','), clientId: 'child', logger: SILENT, onFatal, tuning: QUICK });
await bus.subscribe(TEXTS.clicks, group!, async (deliveries) => {
  process.stdout.write(deliveries.map(({ event }) => `${event}\n`).join(''));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
process.on('SIGTERM', () => void bus.stop().then(() => process.exit(0)));
