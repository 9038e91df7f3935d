import { expect, test } from '@jest/globals';
import { contactFrom } from '../src/config.ts';

test.each(['you@example.org', 'mailto:you@example.org', 'https://example.org/contact', 'http://localhost:8080'])(
  '%s is a contact',
  (text) => {
    expect(contactFrom(text)).toBe(text);
  },
);
test.each(['http://example.org', 'javascript:alert(1)', 'us', '@', 'a b@example.org', `${'a'.repeat(1e5)}@`])(
  '%.20s is not a contact',
  (text) => {
    expect(() => contactFrom(text)).toThrow('must be an e-mail address or a URL');
  },
);
