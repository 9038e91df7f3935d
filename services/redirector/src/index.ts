export { createRedirector, type Redirector, type RedirectorDeps } from './app.ts';
export { clickLogFiles } from './clicks/log/log-files.ts';
export { redirectorMetrics } from './metrics.ts';
export { REDIRECT_WORKERS } from './threads/redirect-workers.ts';
export { runVisitorThread } from './threads/run-thread.ts';
