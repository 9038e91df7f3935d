/** Jest's globalTeardown, which has to be a file of its own. */
export default async function tearDown() {
  await globalThis.stopTestPostgres();
}
