/** What the options of the commands may say; all that a service loads of this library at its start. */
export const SOURCES = ['bitly', 'yourls', 'kutt', 'shlink', 'dub', 'sink', 'csv'] as const;
export type SourceName = (typeof SOURCES)[number];

export const FORMATS = ['netlify', 'nginx', 'html'] as const;
export type RedirectFormat = (typeof FORMATS)[number];
