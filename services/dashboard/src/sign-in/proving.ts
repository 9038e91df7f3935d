import { createContext } from 'react';

/** Asks the person for a proof. Rejects with an `ApiError` if they cancel. Undefined where nobody is signed in. */
export const Proving = createContext<(() => Promise<void>) | undefined>(undefined);
