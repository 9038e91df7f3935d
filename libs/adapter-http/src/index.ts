export { httpPageInspector } from './page-inspector.ts';
export { type HttpUrlScanner, type HttpUrlScannerOptions, httpUrlScanner } from './url-scanner.ts';
