export { createAnalyticsIngest } from './app.ts';
