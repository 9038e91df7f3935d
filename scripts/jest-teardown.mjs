/** This file exists because jest requires globalTeardown to be a separate file. */
export default async function tearDown() {
  await globalThis.stopWhatTestsShare();
}
