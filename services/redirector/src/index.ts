export { createRedirector, type Redirector, type RedirectorDeps, type RedirectorStatus } from './app.ts';
export { clickLogFiles } from './click-log/log-files.ts';
export { COUNTRY_DB } from './country/country-db.ts';
export { redirectorMetrics } from './metrics.ts';
export { runVisitorThread, type ThreadAdapters, type ThreadKit } from './thread.ts';
export { REDIRECT_WORKERS } from './workers.ts';
