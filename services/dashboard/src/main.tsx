import { LiveRegion } from './components/index.ts';
import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import './styles.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, isSignedOut } from './api.ts';
import { App } from './app.tsx';
import { DraftsProvider } from './drafts.tsx';
import { language } from './language.ts';

/** The session may end at any request. The account is then read again, because it decides which screen is shown. */
const checkSession = (error: Error) => {
  if (!isSignedOut(error) || isSignedOut(queries.getQueryState(['account'])?.error)) return;
  void queries.invalidateQueries({ queryKey: ['account'] });
};

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({ onError: checkSession }),
  defaultOptions: {
    // By default the library stores an action while there is no network and sends it later, when the user may no longer
    // expect it.
    mutations: { networkMode: 'always' },
    queries: {
      // Waypost may run on this device, and then it needs no network.
      networkMode: 'offlineFirst',
      staleTime: 5_000,
      // A refusal is not retried, and neither is a request that the client has already retried.
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
        <DraftsProvider>
          <App />
        </DraftsProvider>
      </LiveRegion>
    </QueryClientProvider>
  </StrictMode>,
);
