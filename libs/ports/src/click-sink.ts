import type { EnrichedClick } from '@waypost/domain';

export interface ClickSink {
  /**
   * Resolves once every click is durable and will be counted. A click's `id` is its identity: storing it again, in any
   * batch and order, changes no figure.
   */
  store(clicks: readonly EnrichedClick[]): Promise<void>;
}
