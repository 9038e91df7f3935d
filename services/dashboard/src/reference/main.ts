import scalar from '../../node_modules/@scalar/api-reference/dist/browser/standalone.js?url';
import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import './style.css';

declare const Scalar: { createApiReference(selector: string, configuration: object): void };

const script = document.createElement('script');
script.src = scalar;
script.onload = () =>
  Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    // The page may send requests only to its own origin, which can differ from the public address.
    servers: [{ url: location.origin }],
    theme: 'none',
    ...(localStorage.theme && { darkMode: localStorage.theme === 'dark' }),
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // By default Scalar loads fonts from other hosts and sends data to them.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
document.head.append(script);
