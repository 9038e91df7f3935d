/** Tries to lock the folder named, says how that went, and waits to be killed. */
import { lockFolder } from '../src/data-folder.ts';

// Held by this name until the process ends.
globalThis.lock = lockFolder(process.argv[2]);
console.log(globalThis.lock === undefined ? 'in use' : 'locked');
setInterval(() => undefined, 60_000);
