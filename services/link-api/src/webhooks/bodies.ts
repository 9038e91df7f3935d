import type { LinkEvent, WebhookMessageType } from '@waypost/domain';
import type { StoredClick } from '@waypost/ports';

export function webhookBody(type: WebhookMessageType, at: string, data: object): string {
  return JSON.stringify({ type, timestamp: at, data });
}

/** An event about a change of a link's status. Owners do not get reports about their links. */
export type LinkChangeEvent = LinkEvent & {
  readonly type: Exclude<LinkEvent['type'], 'link.edited' | 'link.reported'>;
};

export function isLinkChange(event: LinkEvent): event is LinkChangeEvent {
  return event.type !== 'link.edited' && event.type !== 'link.reported';
}

/** A repeated event has the same `version` of the link. A later event has a higher one. */
export function linkEventBody(event: LinkChangeEvent, redirectBaseUrl: string): string {
  const { slug, destination_url, status, threat_type, version, cause } = event;
  return webhookBody(event.type, event.at, {
    slug,
    short_url: `${redirectBaseUrl}/${slug}`,
    destination_url,
    status,
    threat_type,
    version,
    ...(cause !== undefined && { cause }),
  });
}

/** Leaves out everything that identifies a visitor: the store has no address, and no hash goes out. */
export function clicksBody(clicks: readonly StoredClick[], at: Date): string {
  const data = clicks.map(({ id, slug, at, country, device, browser, referrer, isBot }) => ({
    id,
    slug,
    at: new Date(at).toISOString(),
    country,
    device,
    browser,
    referrer: referrer === 'direct' ? null : referrer,
    bot: isBot,
  }));
  return webhookBody('link.clicked', at.toISOString(), { clicks: data });
}
