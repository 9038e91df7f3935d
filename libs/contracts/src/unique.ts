let made = 0;

/** A name that no other test uses, not even in another process. */
export const unique = (stem = 'test') => `${stem}-${process.pid.toString(36)}-${(made++).toString(36)}`;
