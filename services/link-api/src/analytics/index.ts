export { FIGURES_KEPT } from './get.ts';
