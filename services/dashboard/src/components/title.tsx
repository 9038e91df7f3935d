import { type PropsWithChildren, useEffect, useRef } from 'react';

/** The heading takes the focus, so that a screen reader announces the new screen. */
export function Title({ children }: { children: string }) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Waypost`;
    element.current?.focus();
  }, [children]);
  return (
    <h1 ref={element} tabIndex={-1}>
      {children}
    </h1>
  );
}

export function Head({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div className="head">
      <Title>{title}</Title>
      {children}
    </div>
  );
}
