import type { EnrichedClick } from '@waypost/domain';

export interface ClickSink {
  /**
   * Resolves once every click is stored durably and will be counted. The `id` identifies a click: if it is stored
   * again, in any batch and order, no figure changes.
   */
  store(clicks: readonly EnrichedClick[]): Promise<void>;
}
