export { newFirstRun } from './accounts/sign-in.ts';
export { createLinkApi, type LinkApi } from './app.ts';
export { builtDashboard } from './dashboard/built.ts';
export type { LinkApiDeps } from './deps.ts';
export { queueMetrics } from './platform/metrics.ts';
