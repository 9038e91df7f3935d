/** What changes something at the server. */
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { ApiError, api } from './api.ts';

type ActionOptions<T, V> = Omit<UseMutationOptions<T, Error, V>, 'mutationFn'> & {
  readonly mutationFn: (input: V) => Promise<T>;
};

/**
 * `useMutation`, for whatever a person presses a button for. A second press while it runs sends nothing: a button is off
 * only after the next render, and a double click is faster. Without a network it fails at once, and is never sent later.
 */
export function useAction<T, V = void>({ mutationFn, ...options }: ActionOptions<T, V>) {
  const queries = useQueryClient();
  const isRunning = useRef(false);
  const { mutate: send, ...state } = useMutation({
    ...options,
    mutationFn: async (input: V) => {
      await api.reach();
      try {
        return await mutationFn(input);
      } catch (error) {
        // It may have been done: the page shows what is true.
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
