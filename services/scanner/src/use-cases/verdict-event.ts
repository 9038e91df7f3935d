import type { VerdictEvent } from '@waypost/domain';
import type { ScannedLink } from '@waypost/ports';

type Found = Pick<VerdictEvent, 'threat_type' | 'reasons' | 'generation'>;

/** What the bus is told about a link that was looked at again. */
export function verdictEvent(type: VerdictEvent['type'], link: ScannedLink, found: Found, now: Date): VerdictEvent {
  const { threat_type, reasons, generation } = found;
  const { slug, destinationUrl: destination_url } = link;
  return { v: 1, type, slug, destination_url, threat_type, reasons, generation, at: now.toISOString() };
}
