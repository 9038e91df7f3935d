import type { AccountFigures, ClickFigures } from '@waypost/domain';
import { sharedAnswers } from '@waypost/resilience';
import { type LinkImports, withImportedClicks } from '../links/index.ts';
import { slice } from '../platform/slice.ts';
import { getAnalyticsEndpoint } from './get.endpoint.ts';
import { FIGURES_KEPT } from './get.ts';
import { getLinkClicksEndpoint } from './link-clicks.endpoint.ts';
import { getOverviewEndpoint } from './overview.endpoint.ts';
import type { AnalyticsPorts } from './ports.ts';

interface Ports extends Omit<AnalyticsPorts, 'figures' | 'figuresOfAccounts'> {
  readonly imports: LinkImports;
}

export const analytics = slice({
  endpoints: [getLinkClicksEndpoint, getAnalyticsEndpoint, getOverviewEndpoint],
  open: (ports: Ports) => {
    const stats = withImportedClicks(ports.stats, ports.imports);
    const figures = sharedAnswers<ClickFigures>(FIGURES_KEPT);
    const figuresOfAccounts = sharedAnswers<AccountFigures>(FIGURES_KEPT);
    return { ports: { ...ports, stats, figures, figuresOfAccounts } };
  },
});
