export { createRedirector, type Redirector, type RedirectorDeps, type RedirectorStatus } from './app.ts';
export type { TrustedProxies } from './http/client-address.ts';
