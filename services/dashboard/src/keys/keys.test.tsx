import { expect, test } from '@jest/globals';
import { fireEvent, waitFor } from '@testing-library/react';
import { button, field, hidden, press, pressTwice, refusal, see, show, type } from '../../test/screen.tsx';
import { Keys } from './keys.tsx';

const PATH = '/api/v1/account/keys';
const key = (name: string) => ({
  id: name,
  name,
  hint: 'wp_abc',
  scopes: ['read'],
  created_at: '2026-01-01T00:00:00.000Z',
  last_used_at: null,
  expires_at: null,
});
const keys = (...names: string[]) => [200, { data: names.map(key), limit: 20 }] as const;

test('a new key is shown once: Esc does not close the dialog, which closes after the user has ticked the box', async () => {
  const sent = show(<Keys />, {
    [`GET ${PATH}`]: () => keys(),
    [`POST ${PATH}`]: () => [201, { ...key('laptop'), key: 'wp_secret' }],
  });
  await see('No keys yet.');
  press('Create key');
  type('Name', 'laptop');
  fireEvent.click(field('admin: everything; cannot be combined'));
  expect(field('read: list links, read links and their clicks').disabled).toBe(true);
  pressTwice('Create key');
  await see('wp_secret');
  fireEvent.keyDown(document.querySelector('dialog')!, { key: 'Escape' });
  press('Done');
  expect(hidden('wp_secret')).toBe(false);
  press('MCP');
  await see(/claude mcp add --transport http waypost https:\/\/waypost\.example\/mcp/);
  fireEvent.click(field('I have stored this key'));
  press('Done');
  expect(hidden('wp_secret')).toBe(true);
  const posts = sent.filter(({ what }) => what === `POST ${PATH}`);
  expect(posts.map(({ body }) => body)).toEqual([{ name: 'laptop', scopes: ['admin'], expires_at: null }]);
});

test('an error names its field, which takes the focus, and the form keeps its text', async () => {
  show(<Keys />, {
    [`GET ${PATH}`]: () => keys(),
    [`POST ${PATH}`]: () => [400, refusal({ expires_at: 'must be in the future' })],
  });
  press('Create key');
  type('Name', 'laptop');
  press('Create key');
  await see('Last day must be in the future.');
  expect(document.activeElement).toBe(field('Last day'));
  expect(field('Name').value).toBe('laptop');
});

test('after a lost answer, the dialog says that the key was created, and a deleted key disappears from the list', async () => {
  let names = ['old'];
  show(<Keys />, {
    [`GET ${PATH}`]: () => keys(...names),
    [`POST ${PATH}`]: () => void names.push('lost'),
    [`DELETE ${PATH}/old`]: () => {
      names = ['lost'];
      return undefined;
    },
  });
  await see('old');
  press('Create key');
  type('Name', 'lost');
  press('Create key');
  await see(/^The key was created, but it cannot be shown again\./);
  expect(document.querySelector('dialog')!.querySelectorAll('button')).toHaveLength(1);
  press('Close');
  await see('lost');
  press('Delete the key old');
  press('Delete key');
  await waitFor(() => expect(hidden('old')).toBe(true));
});

test('with 20 keys no other key can be created, and the page says so', async () => {
  show(<Keys />, { [`GET ${PATH}`]: () => keys(...Array.from({ length: 20 }, (_, i) => `key ${i}`)) });
  await see('Delete one of your 20 keys first.');
  expect(button('Create key').getAttribute('aria-disabled')).toBe('true');
  press('Create key');
  expect(document.querySelector('dialog')).toBeNull();
});

test('deleting a key names the webhooks that it made, and offers to switch them off', async () => {
  const webhook = (id: string, change: object) => ({
    id,
    url: `https://${id}.example.org/`,
    enabled: true,
    key_id: 'old',
    ...change,
  });
  const webhooks = [webhook('mine', {}), webhook('off', { enabled: false }), webhook('other', { key_id: null })];
  const sent = show(<Keys />, {
    [`GET ${PATH}`]: () => keys('old'),
    'GET /api/v1/webhooks': () => [200, { data: webhooks, limit: 10 }],
    [`DELETE ${PATH}/old`]: () => [200, { id: 'old', webhooks: [] }],
  });
  await see('old');
  press('Delete the key old');
  await see(/^These webhooks were created or changed/);
  expect(document.querySelectorAll('dialog li')).toHaveLength(1);
  expect(field('Disable its webhooks, too').checked).toBe(true);
  press('Delete key');
  await waitFor(() => expect(sent.find(({ what }) => what.startsWith('DELETE'))?.query).toBe('?webhooks=switch_off'));
});
