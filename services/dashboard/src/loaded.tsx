/** What was asked of the server, once it is there. */
import type { PropsWithChildren, ReactNode } from 'react';
import { ApiError } from './api.ts';
import { LoadError, Skeleton, Title } from './parts.tsx';

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: Asked<T>;
  /** Lines of the skeleton. */
  readonly rows: number;
  readonly children: (data: T) => ReactNode;
}

/** An older answer stays while a newer one fails. */
export const Loaded = <T,>({ query, rows, children }: LoadedProps<T>) =>
  query.data === undefined ? <Awaited query={query} rows={rows} /> : children(query.data);

/** In place of an answer. */
export function Awaited({ query: { error, refetch }, rows }: Omit<LoadedProps<unknown>, 'children'>) {
  return error ? <LoadError error={error} retry={() => refetch()} /> : <Skeleton rows={rows} />;
}

/** Whether there is no such thing as the address names. A `TypeError`: what stands in it can be no slug and no id. */
export const isMissing = (error: Error | null): boolean =>
  error instanceof TypeError || (error instanceof ApiError && error.status === 404);

interface NotThereProps {
  readonly query: Asked<unknown>;
  /** The title where there is no such thing. */
  readonly missing: string;
}

/** In place of what the address names, while it is not there. The children lead elsewhere. */
export function NotThere({ query, missing, children }: PropsWithChildren<NotThereProps>) {
  if (!isMissing(query.error)) return <Awaited query={query} rows={6} />;
  return (
    <div className="empty">
      <Title>{missing}</Title>
      {children}
    </div>
  );
}
