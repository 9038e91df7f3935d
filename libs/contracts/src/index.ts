/** What a port promises, as a suite, where two adapters meet. */
export { type BusUnderTest, busContract } from './bus.ts';
export { type LinkCacheUnderTest, linkCacheContract } from './link-cache.ts';
export { type UrlScannerUnderTest, urlScannerContract } from './url-scanner.ts';
