export { csv, EXPORT_FIELDS, exportRow, unescapedCell } from './csv.ts';
export { type LinksFile, LinksFileError, readLinks, shownUrl } from './read-links.ts';
