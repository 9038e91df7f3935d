const say = () => SILENT;

/** A logger that says nothing; `never`, so that it is one of any type. */
export const SILENT = { error: say, warn: say, info: say, debug: say } as never;
