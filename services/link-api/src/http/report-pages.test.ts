/** The texts of the pages; the pages themselves: services/all-in-one/test/reports.test.ts. */
import { LANGUAGES } from '@waypost/html';
import { translationsAgree } from '@waypost/test-support/translations';

translationsAgree(new URL('./locales/', import.meta.url), LANGUAGES);
