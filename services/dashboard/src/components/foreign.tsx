/** Shows text that other people wrote. It is isolated, so that its characters cannot reorder the rest of the line. */
export function Foreign({ children, variant = '', lang }: { children: string; variant?: string; lang?: string }) {
  return (
    <bdi className={`foreign ${variant}`} lang={lang}>
      {children}
    </bdi>
  );
}
