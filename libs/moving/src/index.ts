export { exportRedirects, type Redirect } from './export-redirects.ts';
export { importFile } from './import-file.ts';
export type { Row } from './rows.ts';
