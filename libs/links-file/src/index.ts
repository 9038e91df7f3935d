export { csv, EXPORT_FIELDS, exportRow } from './csv.ts';
export { type LinksFile, LinksFileError, readLinks, shownUrl } from './read-links.ts';
