import type { PropsWithChildren, ReactNode } from 'react';
import { ApiError } from '../api.ts';
import { words } from '../words.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import { ErrorNote } from './error-note.tsx';
import { Skeleton } from './skeleton.tsx';
import { Title } from './title.tsx';

interface QueryState<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: QueryState<T>;
  readonly rows: number;
  readonly children: (data: T) => ReactNode;
}

export const Loaded = <T,>({ query, rows, children }: LoadedProps<T>) =>
  query.data === undefined ? <Awaited query={query} rows={rows} /> : children(query.data);

export function Awaited({ query: { error, refetch }, rows }: Omit<LoadedProps<unknown>, 'children'>) {
  return error ? <LoadError error={error} retry={() => refetch()} /> : <Skeleton rows={rows} />;
}

/** The SDK throws a `TypeError` for text that cannot be a slug or an id. */
export const isMissing = (error: Error | null): boolean =>
  error instanceof TypeError || (error instanceof ApiError && error.status === 404);

export function NotThere({
  query,
  missing,
  children,
}: PropsWithChildren<{ query: QueryState<unknown>; missing: string }>) {
  if (!isMissing(query.error)) return <Awaited query={query} rows={6} />;
  return (
    <div className="empty">
      <Title>{missing}</Title>
      {children}
    </div>
  );
}

export function LoadError({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <Empty title={words.failed}>
      <ErrorNote error={error} />
      <Button onClick={retry}>{words.again}</Button>
    </Empty>
  );
}
