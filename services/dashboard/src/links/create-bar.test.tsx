import { beforeEach, expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import {
  type Answer,
  type Answers,
  account,
  button,
  field,
  hidden,
  link,
  press,
  pressTwice,
  refusal,
  see,
  show,
  type,
} from '../../test/screen.tsx';
import { CreateBar } from './create-bar.tsx';

const POST = 'POST /api/v1/links';
const URL_FIELD = 'Long URL';
const created = [201, { link: link('abc'), short_url: 'https://way.example/abc' }] as const;

beforeEach(() => {
  document.execCommand = () => true;
});

test('a double click creates one link and shows its progress; then the link is copied and the field is empty', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const sent = show(<CreateBar account={account} />, { [POST]: () => promise });
  type(URL_FIELD, ' https://www.example.com/ ');
  pressTwice('Shorten');
  await see('Shortening…');
  resolve(created);
  await see('is ready and copied.');
  expect(sent.filter(({ what }) => what === POST).map(({ body }) => body)).toEqual([
    { destination_url: 'https://www.example.com/' },
  ]);
  expect(field(URL_FIELD).value).toBe('');
});

test('without an answer the text stays, and a second press repeats the request with the same key', async () => {
  const answers: Answers = { [POST]: () => undefined };
  const sent = show(<CreateBar account={account} />, answers);
  type(URL_FIELD, 'https://www.example.com/');
  press('Shorten');
  await see('Waypost is not responding. Your input is kept.');
  expect(field(URL_FIELD).value).toBe('https://www.example.com/');
  answers[POST] = () => created;
  press('Shorten');
  await see('is ready and copied.');
  expect(new Set(sent.filter(({ what }) => what === POST).map(({ key }) => key)).size).toBe(1);
});

test('the text stays when the quota is used up', async () => {
  const quota = { limit: '1', used: '1', remaining: '0', reset: String(Date.now() / 1000 + 600) };
  const headers = Object.fromEntries(Object.entries(quota).map(([name, value]) => [`X-RateLimit-${name}`, value]));
  show(<CreateBar account={account} />, { [POST]: () => [429, refusal({}, 'No more.', 'rate_limited'), headers] });
  type(URL_FIELD, 'https://www.example.com/');
  press('Shorten');
  await see('You have created 1 link this hour.');
  expect(field(URL_FIELD).value).toBe('https://www.example.com/');
});

test('an error names its field, which takes the focus', async () => {
  show(<CreateBar account={account} />, { [POST]: () => [400, refusal({ destination_url: 'must be a URL' })] });
  type(URL_FIELD, 'nonsense');
  press('Shorten');
  await see('Long URL must be a URL.');
  expect(document.activeElement).toBe(field(URL_FIELD));
});

test('the form says that a slug is taken before anything is created, and ignores a late answer about an earlier slug', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent = show(<CreateBar account={account} />, {
    [POST]: async ({ body }) => {
      if (body.custom_slug === 'free') return [200, {}];
      if (body.custom_slug === 'slow') await promise;
      return [409, refusal({}, 'Taken.', 'conflict')];
    },
  });
  press('Custom address');
  const slug = () => screen.getByLabelText<HTMLInputElement>('Custom address', { selector: 'input' });
  const typeSlug = (value: string) => fireEvent.change(slug(), { target: { value } });
  typeSlug('taken');
  await see('The address taken is taken.');
  expect(slug().getAttribute('aria-invalid')).toBe('true');
  typeSlug('slow');
  await waitFor(() => expect(sent.at(-1)?.body.custom_slug).toBe('slow'));
  typeSlug('free');
  resolve();
  await waitFor(() => expect(sent.at(-1)?.body.custom_slug).toBe('free'));
  expect(slug().getAttribute('aria-invalid')).toBe('false');
  expect(hidden('The address slow is taken.')).toBe(true);
  expect(sent.every(({ query }) => query === '?dry_run=true')).toBe(true);
});

test('a button adds the scheme to a URL without one', () => {
  show(<CreateBar account={account} />, {});
  type(URL_FIELD, 'example.com/page');
  press('Add https://');
  expect(field(URL_FIELD).value).toBe('https://example.com/page');
  expect(button('Shorten')).toBeDefined();
});

test('a taken address is told once, in the words of the page, whichever request notices it', async () => {
  show(<CreateBar account={account} />, {
    [POST]: ({ query }) =>
      query === '?dry_run=true'
        ? [200, {}]
        : [409, refusal({ taken_slugs: ['spring'] }, 'The slug "spring" is taken.', 'conflict')],
  });
  type(URL_FIELD, 'https://www.example.com/');
  press('Custom address');
  fireEvent.change(screen.getByLabelText('Custom address', { selector: 'input' }), { target: { value: 'spring' } });
  press('Shorten');
  await see('The address spring is taken.');
  expect(hidden('The slug "spring" is taken.')).toBe(true);
});
