/** Each path is drawn in a square of 16 units, but `mark` in a square of 24. */
const PATHS = {
  mark: 'M10.7 1h2.5v2.5h4.25L22 7.2 17.5 11h-4.25v1.8h1.75V19.3H13.25V23h-2.5v-3.7H6.3L2 16.05l4.3-3.25h4.45V11H4V3.5h6.75z',
  link: 'M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.4 8.9a2.6 2.6 0 0 0 3.7 3.7l.9-.9',
  key: 'M2.5 10.8a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0M7.2 8.8l6.3-6.3M11 5l2 2',
  overview: 'M2.5 2.5v11h11M5 10l2.8-3.2 2.2 2L13.5 4.5',
  usage: 'M3 13V8M8 13V3M13 13V6',
  settings: 'M5.4 5.4a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0M2.8 13.6c.6-2.6 2.6-3.9 5.2-3.9s4.6 1.3 5.2 3.9',
  copy: 'M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5zM10.5 5.5v-1.5a1.5 1.5 0 0 0-1.5-1.5h-5A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5',
  tick: 'm3 8.5 3.4 3.4L13 4.6',
  search: 'M2.8 7a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0M10.2 10.2l3.3 3.3',
  active: 'M4 8a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  flagged: 'M4 14V2.5h8L10 6l2 3.5H4',
  revoked: 'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0M4.2 4.2l7.6 7.6',
  bad: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M8 4.8v4M8 11v.01',
  webhook: 'M2.5 13.5 13.5 8 2.5 2.5 4.2 8zM4.2 8h9.3',
  admin: 'M8 2 3 3.8v4C3 11 5.2 13 8 14c2.8-1 5-3 5-6.2v-4z',
  plus: 'M8 3v10M3 8h10',
  tag: 'M2.5 3v4.5l6 6 5-5-6-6H3zM5.2 5.2v.01',
  upload: 'M8 9.8V2.8M5 5.5l3-3 3 3M3 13h10',
  download: 'M8 2.5v7M5 6.8l3 3 3-3M3 13h10',
  qr: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h1.5v1.5M13.5 9.5v4h-4v-1',
  close: 'm4 4 8 8M12 4l-8 8',
  eye: 'M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8zM6 8a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  book: 'M8 4.2C6.8 3.3 5 3 2.5 3v9.5c2.5 0 4.3.3 5.5 1.2 1.2-.9 3-1.2 5.5-1.2V3C11 3 9.2 3.3 8 4.2zM8 4.2v9.5',
  down: 'm4 6.2 4 4 4-4',
  up: 'm4 9.8 4-4 4 4',
  more: 'M7.5 3.5a.5.5 0 1 0 1 0a.5.5 0 1 0 -1 0M7.5 8a.5.5 0 1 0 1 0a.5.5 0 1 0 -1 0M7.5 12.5a.5.5 0 1 0 1 0a.5.5 0 1 0 -1 0',
  edit: 'M3 13l.6-2.9 7.2-7.2 2.3 2.3-7.2 7.2zM9.2 4.5l2.3 2.3',
  back: 'm9.8 4-4 4 4 4',
  forth: 'm6.2 4 4 4-4 4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <path d={PATHS.mark} />
    </svg>
  );
}
