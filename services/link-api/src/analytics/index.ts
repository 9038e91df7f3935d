import type { AccountFigures, ClickFigures } from '@waypost/domain';
import { sharedAnswers } from '@waypost/resilience';
import { slice } from '../platform/slice.ts';
import { getAnalyticsEndpoint } from './get.endpoint.ts';
import { FIGURES_KEPT } from './get.ts';
import { getLinkClicksEndpoint } from './link-clicks.endpoint.ts';
import { getOverviewEndpoint } from './overview.endpoint.ts';
import type { AnalyticsPorts } from './ports.ts';

export const analytics = slice({
  endpoints: [getLinkClicksEndpoint, getAnalyticsEndpoint, getOverviewEndpoint],
  open: (ports: Omit<AnalyticsPorts, 'figures' | 'figuresOfAccounts'>) => {
    const figures = sharedAnswers<ClickFigures>(FIGURES_KEPT);
    const figuresOfAccounts = sharedAnswers<AccountFigures>(FIGURES_KEPT);
    return { ports: { ...ports, figures, figuresOfAccounts } };
  },
});
