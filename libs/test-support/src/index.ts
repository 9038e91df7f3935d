export { costOfDoubling, leastCpuMs } from './cost.ts';
export { listening } from './loopback.ts';
export { spawnNode } from './processes.ts';
export { proxyTo } from './proxy.ts';
export { sharedByTests } from './shared.ts';
export { SILENT } from './silent.ts';
export { pause, until, within } from './waiting.ts';
