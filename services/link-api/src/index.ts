export { configuredProvider, newFirstRun, webAuthnCeremonies } from './accounts/index.ts';
export { createLinkApi, type LinkApi, type LinkApiPorts, postgresLinkApiStores } from './app.ts';
export { builtDashboard } from './dashboard/index.ts';
export { smtpMail } from './notices/index.ts';
export { webhookSender } from './webhooks/index.ts';
