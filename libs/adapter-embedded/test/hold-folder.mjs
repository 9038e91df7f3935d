/** Tries to lock the given folder and prints the result. It then waits until it is killed. */
import { lockFolder } from '../src/data-folder.ts';

// Without this variable, garbage collection could release the lock.
globalThis.lock = lockFolder(process.argv[2]);
console.log(globalThis.lock === undefined ? 'in use' : 'locked');
setInterval(() => undefined, 60_000);
