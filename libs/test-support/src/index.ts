export { costOfDoubling } from './cost.ts';
export { pause, until } from './waiting.ts';
