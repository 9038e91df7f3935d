import { setting } from '@waypost/settings';

export const DEEP_SCANS = {
  DEEP_SCANS: setting
    .oneOf(
      'whether links that are warned of, and those to other shorteners, are followed in the background; `pages`: the pages at their ends are judged, too',
      'off',
      'redirects',
      'pages',
    )
    .default('redirects'),
  PREVIEW_FIRST: setting
    .oneOf(
      'whether visitors of a link to another shortener see the preview page first, until it is known where the link ends',
      'on',
      'off',
    )
    .default('on'),
  DEEP_SCAN_CONCURRENCY: setting.wholeNumber('addresses that a process asks at once for deep scans', 1, 64).default(8),
};
