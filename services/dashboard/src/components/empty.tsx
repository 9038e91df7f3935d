import type { PropsWithChildren } from 'react';

export function Empty({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
