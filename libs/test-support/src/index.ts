export { costOfDoubling } from './cost.ts';
