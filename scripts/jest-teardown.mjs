/** Jest's globalTeardown, which must be a separate file. */
export default async function tearDown() {
  await globalThis.stopWhatTestsShare();
}
