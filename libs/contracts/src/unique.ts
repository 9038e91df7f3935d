let count = 0;

/** Returns a name that no other test uses, in this process or another. */
export const unique = (stem = 'test') => `${stem}-${process.pid.toString(36)}-${(count++).toString(36)}`;
