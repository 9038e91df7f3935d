import { useQuery } from '@tanstack/react-query';
import { once } from '../api.ts';

/** What lets people into an account: the user's own, or that of `email`. */
export const useCredentials = (email?: string, options: { refetchInterval?: number; staleTime?: number } = {}) =>
  useQuery({
    queryKey: ['credentials', email],
    queryFn: () => (email === undefined ? once.call('getCredentials') : once.admin.credentials(email)),
    ...options,
  });
