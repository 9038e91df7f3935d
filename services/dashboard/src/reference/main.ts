import scalar from '../../node_modules/@scalar/api-reference/dist/browser/standalone.js?url';
import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import './style.css';

declare const Scalar: { createApiReference(selector: string, configuration: object): void };

// The sandbox of the page has no storage, and its policy allows no evaluation of strings: Scalar fails without the
// first, and its validator tries the second unless told.
const memory = new Map<string, string>();
const storage = {
  getItem: (key: string) => memory.get(key) ?? null,
  setItem: (key: string, value: string) => void memory.set(key, value),
  removeItem: (key: string) => void memory.delete(key),
};
for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: storage });
Object.assign(window, { __zod_globalConfig: { jitless: true } });

const script = document.createElement('script');
script.src = scalar;
script.onload = () =>
  Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    theme: 'none',
    // Otherwise buttons and regions have names that screen readers cannot tell apart.
    defaultOpenAllTags: true,
    hideModels: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // By default Scalar loads fonts from other hosts and sends data to them.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    // Its console would need the session's origin, and is not accessible.
    hideTestRequestButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
document.head.append(script);

// Scalar's copy buttons have no name, and its regions of sample answers all have the same.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])')) button.ariaLabel = 'Copy';
  for (const card of document.querySelectorAll('.response-card[role=region]')) card.role = 'group';
}).observe(document.body, { childList: true, subtree: true });
