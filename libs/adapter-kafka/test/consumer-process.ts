/** A consumer that can be killed: `node consumer-process.ts <brokers> <topic> <group>` prints the value of each message. */
import type { Topic } from '@waypost/domain';
import { kafkaBus } from '../src/index.ts';
import { QUICK, SILENT } from './quick.ts';

const [brokers, topic, group] = process.argv.slice(2);
const onFatal = (error: Error) => {
  console.error(error);
  process.exit(1);
};
const bus = kafkaBus({ brokers: brokers!.split(','), clientId: 'child', logger: SILENT, onFatal, tuning: QUICK });
await bus.subscribe(topic as Topic, group!, async (messages) => {
  process.stdout.write(messages.map(({ value }) => `${value}\n`).join(''));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
process.on('SIGTERM', () => void bus.stop().then(() => process.exit(0)));
