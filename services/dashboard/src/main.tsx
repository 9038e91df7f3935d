import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import './styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api.ts';
import { App } from './app.tsx';
import { language } from './language.ts';
import { LiveRegion } from './parts.tsx';

const queries = new QueryClient({
  defaultOptions: {
    // The library would keep what is pressed without a network and send it later, whatever was pressed since.
    mutations: { networkMode: 'always' },
    queries: {
      // Waypost may run on this very device, which needs no network.
      networkMode: 'offlineFirst',
      staleTime: 5_000,
      // What the server refuses it refuses again, and the client has tried more than once.
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && (error.tries > 1 || (error.status !== 0 && error.status < 500))),
    },
  },
});

document.documentElement.lang = language;

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LiveRegion>
        <App />
      </LiveRegion>
    </QueryClientProvider>
  </StrictMode>,
);
