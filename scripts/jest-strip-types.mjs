import { stripTypeScriptTypes } from 'node:module';

/** A jest transform that strips types as Node does. It replaces them by blanks, so lines and columns stay the same. */
export default {
  process: (source, path) => ({ code: `${stripTypeScriptTypes(source)}\n//# sourceURL=${path}` }),
};
