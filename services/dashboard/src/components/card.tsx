import type { PropsWithChildren, ReactNode } from 'react';

export function Card({ title, children }: PropsWithChildren<{ title: ReactNode }>) {
  return (
    <section className="card pad">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
