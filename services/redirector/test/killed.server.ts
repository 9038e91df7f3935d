/**
 * killed.test.ts runs this redirector in a separate process. Its bus accepts nothing, so every click stays in the log.
 */
import { link, startRedirector } from './support.ts';

const { port } = await startRedirector([link('abcDEF1')], {
  clickLogDir: process.argv[2]!,
  bus: { publishEncoded: () => new Promise(() => undefined) },
});
console.log(port);
