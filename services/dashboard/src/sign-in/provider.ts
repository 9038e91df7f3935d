import { useQuery } from '@tanstack/react-query';
import { once } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';
import { leave, take } from '../storage.ts';

const BACK = 'back';

/** What the provider is called, and how to go there. The browser comes back to the present screen. */
export function useProvider(begin: 'beginProviderSignIn' | 'beginProof' | 'beginIdentity') {
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: () => once.call('getSignInOptions'),
    staleTime: 60_000,
  });
  const { mutate, isPending, error } = useAction({
    mutationFn: () => once.call(begin),
    onSuccess: ({ url }) => {
      leave(BACK, location.pathname + location.search);
      location.assign(url);
    },
  });
  return { name: options.data?.provider?.name, leave: () => mutate(), isPending, error };
}

/** The provider leads to `/`. Returns the screen from which the browser left, once. */
export const screenBefore = (): string | null => take(BACK);
