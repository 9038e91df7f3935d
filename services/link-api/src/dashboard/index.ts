import { slice } from '../platform/slice.ts';
import { pages } from './pages.http.ts';

/** Comes last: it answers every address that no other slice has. */
export const dashboard = slice({
  open: ({ dashboardDir }: { readonly dashboardDir: string | undefined }) => ({ routes: () => pages(dashboardDir) }),
});

export { builtDashboard } from './built.ts';
