import { createContext, type PropsWithChildren, useContext, useState } from 'react';

const Announce = createContext<(text: string) => void>(() => undefined);
export const useAnnounce = () => useContext(Announce);

export function LiveRegion({ children }: PropsWithChildren) {
  const [text, setText] = useState('');
  return (
    <Announce value={setText}>
      {children}
      <div className="sr" role="status" aria-live="polite">
        {text}
      </div>
    </Announce>
  );
}
