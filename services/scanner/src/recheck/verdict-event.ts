import type { VerdictEvent } from '@waypost/domain';
import type { ScannedLink } from './scanned-links.port.ts';

type Threat = Pick<VerdictEvent, 'threat_type' | 'reasons' | 'generation'>;

export function verdictEvent(type: VerdictEvent['type'], link: ScannedLink, threat: Threat, now: Date): VerdictEvent {
  const { threat_type, reasons, generation } = threat;
  const { slug, destinationUrl: destination_url } = link;
  return { v: 1, type, slug, destination_url, threat_type, reasons, generation, at: now.toISOString() };
}
