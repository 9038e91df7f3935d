import { busContract } from '@waypost/contracts';
import { kafkaUnderTest, readAll } from './kafka-under-test.ts';

const kafka = kafkaUnderTest();

busContract('Kafka', async () => {
  const { brokers, bus } = kafka();
  const opened = bus();
  return {
    bus: opened,
    parked: async (topic) =>
      (await readAll(brokers, `${topic}.parked`)).map(({ key, value, headers }) => ({
        key,
        value,
        error: headers.error ?? '',
      })),
    close: () => opened.stop(),
  };
});
