import type { StoredClicks } from '@waypost/ports';
import type { Background } from '@waypost/resilience';
import type { Running } from '../platform/slice.ts';
import { makeClickMessages } from './click-messages.job.ts';
import { deliverClicks, deliverEvents, sweepWebhooks } from './deliver.job.ts';
import type { Waker } from './ports.ts';
import { oneAtATime } from './reads.ts';

export type DeliveriesPorts = Parameters<typeof deliverEvents>[0] & {
  readonly storedClicks: StoredClicks;
  readonly webhooking: Pick<Waker, 'on'>;
};

/** Starts what makes and sends messages. */
export function startDeliveries(ports: DeliveriesPorts): Running {
  const reading = { ...ports, storedClicks: oneAtATime(ports.storedClicks) };
  const clicks = deliverClicks(reading);
  const events = deliverEvents(reading);
  const jobs: readonly Background[] = [
    events,
    clicks,
    makeClickMessages({ ...reading, onMessage: clicks.wake }),
    sweepWebhooks(ports),
  ];
  for (const job of jobs) job.start();
  for (const job of [events, clicks]) ports.webhooking.on('message', job.wake);
  return {
    stop: async () => {
      for (const job of jobs.toReversed()) await job.stop();
    },
  };
}
