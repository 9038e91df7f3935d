/** `main.ts` and the all-in-one service import the adapters of link-api's own ports from here. */
export { configuredProvider } from './accounts/oidc/provider.adapter.ts';
export { webAuthnCeremonies } from './accounts/passkeys/ceremonies.adapter.ts';
export { smtpMail } from './notices/smtp-mail.adapter.ts';
export { postgresLinkApiStores } from './stores.ts';
export { webhookSender } from './webhooks/sender.adapter.ts';
