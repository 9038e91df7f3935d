export { createRedirector, type Redirector, type RedirectorDeps } from './app.ts';
export { clickLogFiles } from './click-log/log-files.ts';
export { COUNTRY_DB } from './country/countries.ts';
export { redirectorMetrics } from './metrics.ts';
export { runVisitorThread } from './thread.ts';
export { REDIRECT_WORKERS } from './workers.ts';
