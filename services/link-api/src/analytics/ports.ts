import type { AccountFigures, ClickFigures } from '@waypost/domain';
import type { ClickStats } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import type { LinkStore } from '../links/index.ts';

export interface AnalyticsPorts {
  readonly links: Pick<LinkStore, 'find' | 'findAll' | 'changedSince'>;
  readonly stats: ClickStats;
  readonly figures: SharedAnswers<ClickFigures>;
  readonly figuresOfAccounts: SharedAnswers<AccountFigures>;
  readonly now: () => Date;
}
