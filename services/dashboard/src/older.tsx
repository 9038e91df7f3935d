/** Lists without a count, the newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Awaited } from './loaded.tsx';
import { Button, Empty, ErrorNote } from './parts.tsx';
import { words } from './words.ts';

interface Part<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

interface OlderProps<T> {
  readonly queryKey: readonly unknown[];
  readonly ask: (before: string | undefined, signal: AbortSignal) => Promise<Part<T>>;
  /** How long until it is asked anew, in ms; none: it is not. */
  readonly again?: (shown: readonly T[]) => number | false;
  readonly empty: string;
  readonly children: (shown: readonly T[]) => ReactNode;
}

export function Older<T>({ queryKey, ask, again, empty, children }: OlderProps<T>) {
  const parts = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => again?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  });
  if (parts.data === undefined) return <Awaited query={parts} rows={4} />;
  const shown = parts.data.pages.flatMap(({ data }) => data);
  if (shown.length === 0) return <Empty title={empty} />;
  const { isFetchingNextPage: isFetching } = parts;
  return (
    <>
      {children(shown)}
      <ErrorNote error={parts.error} />
      {parts.hasNextPage && (
        <div className="older">
          <Button isOff={isFetching} onClick={() => parts.fetchNextPage()}>
            {words.older}
          </Button>
        </div>
      )}
    </>
  );
}
