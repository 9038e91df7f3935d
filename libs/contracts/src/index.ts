export { type BusUnderTest, busContract } from './bus.ts';
export { linkCacheContract } from './link-cache.ts';
export { active, revoked } from './records.ts';
export { unique } from './unique.ts';
export { type UrlScannerUnderTest, urlScannerContract } from './url-scanner.ts';
