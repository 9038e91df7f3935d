import { once } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';

export const useLeave = () =>
  useAction({
    mutationFn: (everywhere: boolean) => once.call<'endSessions' | 'signOut'>(everywhere ? 'endSessions' : 'signOut'),
    // A full page load removes all data of the account from memory.
    onSuccess: () => location.assign('/'),
  });
