export { type HttpUrlScanner, type HttpUrlScannerOptions, httpUrlScanner } from './url-scanner.ts';
