/** A service loads only this file of the library at its start, so the values of the options are here. */
export const SOURCES = ['bitly', 'yourls', 'kutt', 'shlink', 'dub', 'shortio', 'sink', 'csv'] as const;
export type SourceName = (typeof SOURCES)[number];

export const FORMATS = ['netlify', 'nginx', 'html'] as const;
export type RedirectFormat = (typeof FORMATS)[number];
