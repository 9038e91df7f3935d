import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { words } from '../words.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import { ErrorNote } from './error-note.tsx';
import { Awaited } from './query-state.tsx';

interface Part<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

interface InfiniteListProps<T> {
  readonly queryKey: readonly unknown[];
  readonly read: (before: string | undefined, signal: AbortSignal) => Promise<Part<T>>;
  /** Returns the milliseconds until the next request, or false for no further request. */
  readonly refetchAfter?: (rows: readonly T[]) => number | false;
  readonly empty: string;
  readonly children: (rows: readonly T[]) => ReactNode;
}

export function InfiniteList<T>({ queryKey, read, refetchAfter, empty, children }: InfiniteListProps<T>) {
  const parts = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => refetchAfter?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  });
  if (parts.data === undefined) return <Awaited query={parts} rows={4} />;
  const rows = parts.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0) return <Empty title={empty} />;
  return (
    <>
      {children(rows)}
      <ErrorNote error={parts.error} />
      {parts.hasNextPage && (
        <div className="older">
          <Button isDisabled={parts.isFetchingNextPage} onClick={() => parts.fetchNextPage()}>
            {words.older}
          </Button>
        </div>
      )}
    </>
  );
}
