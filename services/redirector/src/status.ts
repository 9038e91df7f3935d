/** The sums over all threads and click logs of a redirector, and what they say about its health. */
import type { DependencyState } from '@waypost/telemetry';
import type { ShipperState } from './clicks/log/shipper.ts';
import type { VisitorStatus } from './listener/visitors.ts';

export interface RedirectorStatus extends VisitorStatus, Omit<ShipperState, 'problem' | 'oldestUnsentAt'> {
  readonly oldestUnsentMs: number;
  readonly shippingProblem: string | undefined;
}

/** `now` is in Unix milliseconds. */
export function totalStatus(
  visitors: readonly VisitorStatus[],
  shipping: readonly ShipperState[],
  now: number,
): Omit<RedirectorStatus, 'captured' | 'maxBytes'> {
  const oldest = shipping.flatMap(({ oldestUnsentAt }) => oldestUnsentAt ?? []);
  return {
    diskBytes: sum(visitors, ({ diskBytes }) => diskBytes),
    heldClicks: sum(visitors, (visitor) => visitor.heldClicks),
    uncaptured: sum(visitors, ({ uncaptured }) => uncaptured),
    clickLogProblem: visitors.find(({ clickLogProblem }) => clickLogProblem !== undefined)?.clickLogProblem,
    linksInMemory: sum(visitors, ({ linksInMemory }) => linksInMemory),
    openConnections: sum(visitors, ({ openConnections }) => openConnections),
    shipped: sum(shipping, ({ shipped }) => shipped),
    spoolBytes: sum(shipping, ({ spoolBytes }) => spoolBytes),
    garbledBytes: sum(shipping, ({ garbledBytes }) => garbledBytes),
    oldestUnsentMs: oldest.length === 0 ? 0 : Math.max(0, now - Math.min(...oldest)),
    shippingProblem: shipping.find(({ problem }) => problem !== undefined)?.problem,
  };
}

/** This check is not required: visitors are redirected even when their clicks cannot be captured. */
export function clickLogHealth(status: RedirectorStatus): DependencyState {
  const { diskBytes, maxBytes, spoolBytes, clickLogProblem, shippingProblem } = status;
  const facts = {
    disk_bytes: diskBytes,
    spool_bytes: spoolBytes,
    oldest_unsent_ms: status.oldestUnsentMs,
    held: status.heldClicks,
    uncaptured: status.uncaptured,
  };
  if (clickLogProblem !== undefined)
    return { ok: false, detail: `clicks are not written: ${clickLogProblem}`, ...facts };
  const warnings = [
    ...(diskBytes > maxBytes / 2 ? [`the click log is over half full: ${diskBytes} of ${maxBytes} bytes`] : []),
    ...(shippingProblem === undefined ? [] : [`clicks wait on disk: ${shippingProblem}`]),
  ];
  return { ok: true, ...(warnings.length === 0 ? {} : { detail: warnings.join('; ') }), ...facts };
}

export function sum<Of>(list: readonly Of[], figure: (one: Of) => number): number {
  return list.reduce((total, one) => total + figure(one), 0);
}
