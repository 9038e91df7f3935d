import { parseArgs } from 'node:util';

/** Returns the options of the command line. `defaults` holds the value of each option that is not given. */
export function optionsOf<Name extends string>(defaults: Record<Name, string>): Record<Name, string> {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]));
  return { ...defaults, ...parseArgs({ options }).values };
}
