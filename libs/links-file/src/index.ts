export { csv, EXPORT_FIELDS, exportRow, jsonList, LinksFileError, unescapedCell } from './csv.ts';
export { type LinksFile, readLinks, shownUrl, textOf } from './read-links.ts';
export { resultsCsv, withPlaces } from './results.ts';
export { replacedBy, UTM_FIELDS, type Utm, utmOf, withUtm } from './utm.ts';
