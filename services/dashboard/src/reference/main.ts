/** `/docs`: the OpenAPI document, shown by Scalar. */
import scalar from '../../node_modules/@scalar/api-reference/dist/browser/standalone.js?url';
import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import './style.css';

declare const Scalar: { createApiReference(selector: string, configuration: object): void };

const script = document.createElement('script');
script.src = scalar;
script.onload = () =>
  Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    // The policy of the page lets the console ask this address only, which need not be the public one.
    servers: [{ url: location.origin }],
    theme: 'none',
    ...(localStorage.theme && { darkMode: localStorage.theme === 'dark' }),
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // What would ask other hosts.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
document.head.append(script);
