import { stripTypeScriptTypes } from 'node:module';

/**
 * A jest transform: the same as Node does to a .ts file when it runs it (types become blanks, so lines and columns
 * stay).
 */
export default {
  process: (source, path) => ({ code: `${stripTypeScriptTypes(source)}\n//# sourceURL=${path}` }),
};
