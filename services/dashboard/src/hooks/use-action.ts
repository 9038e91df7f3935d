import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useContext, useRef } from 'react';
import { ApiError, assertOnline } from '../api.ts';
import { Proving } from '../sign-in/proving.ts';

const needsProof = (error: unknown) => error instanceof ApiError && error.status === 403 && 'proof' in error.details;

type ActionOptions<T, V> = Omit<UseMutationOptions<T, Error, V>, 'mutationFn'> & {
  readonly mutationFn: (input: V) => Promise<T>;
};

/**
 * `useMutation` for a button. While it runs, a second press sends nothing: a double click is faster than the render
 * that disables the button. Without a network it fails at once, and nothing is sent later. If the session needs a
 * proof, a dialog asks for it, and the action is sent again.
 */
export function useAction<T, V = void>({ mutationFn, ...options }: ActionOptions<T, V>) {
  const queries = useQueryClient();
  const prove = useContext(Proving);
  const isRunning = useRef(false);
  const { mutate: send, ...state } = useMutation({
    ...options,
    mutationFn: async (input: V) => {
      await assertOnline();
      try {
        return await mutationFn(input).catch(async (error: unknown) => {
          if (prove === undefined || !needsProof(error)) throw error;
          await prove();
          return mutationFn(input);
        });
      } catch (error) {
        // The server may have done the action, so the page reads the current state.
        if (error instanceof ApiError && error.outcomeUnknown) void queries.invalidateQueries();
        throw error;
      }
    },
  });
  const mutate = useCallback(
    (input: V) => {
      if (isRunning.current) return;
      isRunning.current = true;
      const onSettled = () => {
        isRunning.current = false;
      };
      send(input, { onSettled });
    },
    [send],
  );
  return { ...state, mutate };
}
