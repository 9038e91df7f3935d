/** One test suite per port with several adapters: what the port promises. */
export { type BusUnderTest, busContract } from './bus.ts';
export { type LinkCacheUnderTest, linkCacheContract } from './link-cache.ts';
export { type UrlScannerUnderTest, urlScannerContract } from './url-scanner.ts';
