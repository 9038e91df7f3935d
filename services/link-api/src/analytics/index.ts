export { topLinks } from './account-figures.ts';
export { FIGURES_KEPT } from './get.ts';
