export { createLinkApi, type LinkApi, type LinkApiDeps } from './app.ts';
export { presentLink } from './http/present.ts';
export { createAccount, createApiKey, createSignInLink, setLimit } from './use-cases/accounts.ts';
export { reviewLink } from './use-cases/review-link.ts';
