/** Tests the texts of the pages. services/all-in-one/test/moderation/reports.test.ts tests the pages themselves. */
import { LANGUAGES } from '@waypost/html';
import { translationsAgree } from '@waypost/test-support/translations';

translationsAgree(new URL('./locales/', import.meta.url), LANGUAGES);
