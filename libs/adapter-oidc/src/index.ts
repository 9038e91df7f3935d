export { configuredProvider, type OpenIdProvider, openIdProvider } from './provider.ts';
