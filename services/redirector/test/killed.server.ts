/** A redirector as a separate process, for `killed.test.ts`: its bus takes nothing, so every click stays in the log. */
import { link, startRedirector } from './support.ts';

const { port } = await startRedirector([link('abcDEF1')], {
  clickLogDir: process.argv[2]!,
  bus: { publishEncoded: () => new Promise(() => undefined) },
});
console.log(port);
