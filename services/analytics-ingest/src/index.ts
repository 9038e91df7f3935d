export { createAnalyticsIngest } from './app.ts';
export { ingestMetrics } from './metrics.ts';
