/** Tries to lock the given folder, prints the outcome, and waits to be killed. */
import { lockFolder } from '../src/data-folder.ts';

// The variable keeps the lock until the process ends.
globalThis.lock = lockFolder(process.argv[2]);
console.log(globalThis.lock === undefined ? 'in use' : 'locked');
setInterval(() => undefined, 60_000);
