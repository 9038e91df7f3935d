import { useQueryClient } from '@tanstack/react-query';
import { useAnnounce } from '../components/live-region.tsx';

/** Returns a function that announces a change and refetches the queries whose keys start with one of `keys`. */
export function useRefresh(...keys: readonly (readonly unknown[])[]) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  return async (text?: string) => {
    if (text !== undefined) announce(text);
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
}
