import { setting } from '@waypost/settings';

export const DEEP_SCANS = {
  DEEP_SCANS: setting
    .oneOf(
      'Whether suspicious links and links to other shorteners are followed in the background. `pages` also scans the final pages.',
      'off',
      'redirects',
      'pages',
    )
    .default('redirects'),
  PREVIEW_FIRST: setting
    .oneOf(
      'Whether a link to another shortener shows the preview page until its final destination is known.',
      'on',
      'off',
    )
    .default('on'),
  DEEP_SCAN_CONCURRENCY: setting.wholeNumber('Deep scans that a process runs at the same time.', 1, 64).default(8),
};
