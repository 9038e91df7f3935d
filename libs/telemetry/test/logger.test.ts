import { expect, test } from '@jest/globals';
import { createLogger } from '../src/index.ts';

test('a line below the level is not even made', () => {
  const logger = createLogger('test', 'error');
  let read = false;
  const fields = {
    get secret() {
      read = true;
      return 'x';
    },
  };
  logger.warn('a warning', fields);
  logger.info('a request', fields);
  expect(read).toBe(false);
});
