import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
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

const PAGE = { data: [], total: 0, page: 1, limit: 100, total_pages: 0 };
const bodies = (sent: ReturnType<typeof show>) => sent.filter(({ what }) => what === POST).map(({ body }) => body);
const options = (list: Element | null) => [...(list?.querySelectorAll('option') ?? [])].map(({ value }) => value);

let setItem: ReturnType<typeof spyOnStorage>;
const spyOnStorage = () => jest.spyOn(Storage.prototype, 'setItem');

beforeEach(() => {
  setItem = spyOnStorage();
  localStorage.clear();
  document.execCommand = () => true;
});
afterEach(() => setItem.mockRestore());

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

test('title, note and end are sent while their panel is open; a choice of days is a time of day in this zone', async () => {
  const sent = show(<CreateBar account={account} />, { [POST]: () => created });
  type(URL_FIELD, 'https://www.example.com/');
  press('Title, note, end');
  type('Title', ' Spring ');
  type('Note', 'One\nTwo');
  press('in 14 days');
  const end = field('Ends').value;
  expect(new Date(end).getTime() - Date.now()).toBeGreaterThan(13.9 * 86_400_000);
  await see(/^Coordinated Universal Time\./);
  press('Shorten');
  await see('is ready and copied.');
  const link = { destination_url: 'https://www.example.com/' };
  expect(bodies(sent)).toEqual([{ ...link, title: 'Spring', note: 'One\nTwo', ends_at: new Date(end).toISOString() }]);
  type(URL_FIELD, 'https://www.example.com/');
  press('Title, note, end');
  type('Title', 'Hidden');
  press('in 7 days');
  press('Never');
  press('Title, note, end');
  press('Shorten');
  await waitFor(() => expect(bodies(sent)[1]).toEqual(link));
});

test('tags are sent while their panel is open', async () => {
  const sent = show(<CreateBar account={account} />, { [POST]: () => created });
  const shorten = async (count: number) => {
    type(URL_FIELD, 'https://www.example.com/');
    press('Shorten');
    await waitFor(() => expect(bodies(sent)).toHaveLength(count));
  };
  const addTag = () => {
    press('Tags');
    type('Tags', 'spring,');
  };
  addTag();
  await shorten(1);
  addTag();
  press('Tags');
  await shorten(2);
  expect(bodies(sent).map(({ tags }) => tags)).toEqual([['spring'], undefined]);
});

test.each(['title', 'note', 'ends_at'])('a problem of %s is told once, at its field', async (name) => {
  show(<CreateBar account={account} />, { [POST]: () => [400, refusal({ [name]: 'is wrong' }, 'It is wrong.')] });
  type(URL_FIELD, 'https://www.example.com/');
  press('Title, note, end');
  press('Shorten');
  await see(/is wrong\.$/);
  expect(hidden('It is wrong.')).toBe(true);
});

test('campaign parameters build the destination, and offer what the newest links of the account have', async () => {
  const sent = show(<CreateBar account={account} />, {
    'GET /api/v1/links': ({ query }) => {
      expect(query).toBe('?search=utm_&limit=100');
      const urls = ['?utm_source=mail', '?utm_source=print&utm_term=a', '?utm_source=mail'];
      return [
        200,
        { ...PAGE, data: urls.map((url) => ({ ...link('a'), destination_url: `https://a.example/${url}` })) },
      ];
    },
    [POST]: () => created,
  });
  press('Campaign');
  await see('Appears when there is a long URL.');
  type(URL_FIELD, 'https://www.example.com/?utm_source=old#top');
  await waitFor(() => expect(options(field('Source').list)).toEqual(['mail', 'print']));
  expect(field('Campaign').list).toBeNull();
  type('Source', 'mail');
  type('Campaign', 'spring & more');
  await see('Replaced in the URL: utm_source.');
  const built = 'https://www.example.com/?utm_source=mail&utm_campaign=spring%20%26%20more#top';
  expect(document.querySelector('.utm bdi')!.textContent).toBe(built);
  press('Shorten');
  await see('is ready and copied.');
  expect(bodies(sent)).toEqual([{ destination_url: built }]);
});

const preset = () => screen.getByLabelText<HTMLSelectElement>('Preset');
const openCampaign = () => {
  show(<CreateBar account={account} />, { 'GET /api/v1/links': () => [200, PAGE] });
  press('Campaign');
};

test('a preset is kept in this browser, for this account, until it is deleted', async () => {
  openCampaign();
  type('Source', ' mail ');
  type('Name of a preset', 'Newsletter');
  fireEvent.keyDown(field('Name of a preset'), { key: 'Enter' });
  await see('Preset “Newsletter” is saved in this browser.');
  expect(JSON.parse(localStorage.getItem('utm ada@example.com')!)).toEqual({ Newsletter: { utm_source: 'mail' } });
  cleanup();
  openCampaign();
  type('Term', 'gone');
  fireEvent.change(preset(), { target: { value: 'Newsletter' } });
  expect([field('Source').value, field('Term').value]).toEqual(['mail', '']);
  type('Source', 'print');
  press('Save preset');
  expect(JSON.parse(localStorage.getItem('utm ada@example.com')!)).toEqual({ Newsletter: { utm_source: 'print' } });
  press('Delete preset');
  await see('Preset “Newsletter” is deleted.');
  expect(options(preset())).toEqual(['']);
  expect(localStorage.getItem('utm ada@example.com')).toBe('{}');
});

test.each([
  [
    'that keeps nothing',
    () =>
      setItem.mockImplementation(() => {
        throw new DOMException('', 'QuotaExceededError');
      }),
  ],
  ['that keeps something else', () => localStorage.setItem('utm ada@example.com', '["x", {"utm_source": 1}, null')],
])('a browser %s has presets until the page is left', async (_what, prepare) => {
  prepare();
  openCampaign();
  type('Source', 'mail');
  type('Name of a preset', 'Newsletter');
  press('Save preset');
  await waitFor(() => expect(options(preset())).toEqual(['', 'Newsletter']));
  const isKept = setItem.mock.results.every(({ type }) => type === 'return');
  expect(screen.queryAllByText('This browser does not store it: it lasts until you leave this page.').length > 0).toBe(
    !isKept,
  );
});
