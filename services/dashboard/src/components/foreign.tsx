/** Shows text that other people wrote. It is isolated, so that its characters cannot reorder the rest of the line. */
export function Foreign({ children, look = '', lang }: { children: string; look?: string; lang?: string }) {
  return (
    <bdi className={`foreign ${look}`} lang={lang}>
      {children}
    </bdi>
  );
}
