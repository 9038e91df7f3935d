import { expect, test } from '@jest/globals';
import { fireEvent, waitFor } from '@testing-library/react';
import { type Answers, hidden, press, refusal, see, show, type } from '../../test/screen.tsx';
import { Keys } from '../keys/keys.tsx';
import { ProofProvider } from '../sign-in/proof.tsx';
import { SessionEnded } from '../sign-in/sign-in.tsx';
import { NewDevices } from './new-devices.tsx';
import Security from './security.tsx';

const time = '2026-01-01T00:00:00.000Z';
const firefox = { browser: 'Firefox', system: 'Linux', country: 'DE' };
const chrome = { browser: 'Chrome', system: 'Windows', country: 'ZZ' };
const session = (id: string, origin: object, current: boolean) => ({
  id,
  current,
  via: 'password',
  ...origin,
  started_at: time,
  last_used_at: time,
});
const device = (id: string, origin: object) => ({ id, ...origin, first_at: time, last_at: time, known: false });
const none = { passkeys: [], identities: [], keys: [], webhooks: [] };
const credentials = {
  email: 'ada@example.com',
  has_password: true,
  sessions: [session('a', firefox, true), session('b', chrome, false)],
  devices: [device('own', firefox), device('new', chrome)],
  ...none,
  keys: [{ id: 'k', name: 'a key', scopes: ['read'], hint: 'wp_x', created_at: time, expires_at: null }],
};
const CREDENTIALS: Answers = {
  'GET /api/v1/account/credentials': () => [200, credentials],
  'GET /session/options': () => [200, { provider: null }],
};
const KEYS = '/api/v1/account/keys';
const unproven = () => [403, refusal({ proof: 'is required' }, 'Confirm your identity first.', 'forbidden')] as const;

test('an action that needs a proof is sent again after it, once, and not at all if the person cancels', async () => {
  const answers: Answers = {
    ...CREDENTIALS,
    [`GET ${KEYS}`]: () => [200, { data: [], limit: 20 }],
    [`POST ${KEYS}`]: unproven,
    'POST /api/v1/account/proof': ({ body }) => {
      if (body.current_password !== 'right') return [400, refusal({ current_password: 'is wrong' })];
      answers[`POST ${KEYS}`] = () => [201, { ...credentials.keys[0], key: 'wp_new' }];
      return [200, { done: true }];
    },
  };
  const sent = show(
    <ProofProvider>
      <Keys />
    </ProofProvider>,
    answers,
  );
  const count = (what: string) => sent.filter((each) => each.what === what).length;
  press('Create key');
  type('Name', 'mine');
  press('Create key');
  await see('Confirm your identity');
  await see('Current password');
  press('Cancel');
  await see(/^Nothing was changed, because/);
  expect(count(`POST ${KEYS}`)).toBe(1);

  press('Create key');
  await see('Current password');
  type('Current password', 'wrong');
  press('Continue');
  await see('Current password is wrong.');
  type('Current password', 'right');
  press('Continue');
  await see('wp_new');
  expect([count('POST /api/v1/account/proof'), count(`POST ${KEYS}`)]).toEqual([2, 3]);
});

test('"Session ended" takes the same account alone', async () => {
  const sent = show(<SessionEnded email="ada@example.com" />, {
    'POST /session': () => [200, { email: 'ada@example.com', admin: false }],
  });
  await see('Your session has ended');
  const email = document.querySelector<HTMLInputElement>('input[name=email]')!;
  expect([email.value, email.readOnly]).toEqual(['ada@example.com', true]);
  type('Password', 'secret');
  press('Sign in');
  await waitFor(() => expect(sent.find(({ what }) => what === 'POST /session')?.body.email).toBe('ada@example.com'));
});

test('a new device is told to another one, which says whether it was the owner', async () => {
  const answers: Answers = {
    ...CREDENTIALS,
    'POST /api/v1/account/devices/new/confirm': () => {
      answers['GET /api/v1/account/credentials'] = () => [200, { ...credentials, devices: [] }];
      return [200, { done: true }];
    },
  };
  show(<NewDevices />, answers);
  await see(/^New sign-in: Chrome on Windows, /);
  expect(hidden(/^New sign-in: Firefox/)).toBe(true);
  press('It was me');
  await waitFor(() => expect(hidden(/^New sign-in/)).toBe(true));
});

test.each([
  [undefined, '/api/v1/account'],
  ['eve@example.com', '/api/v1/admin/accounts/eve%40example.com'],
])('"This was not me" ends all sessions and removes what is ticked, of %s', async (email, path) => {
  const remaining = { ...credentials, sessions: [credentials.sessions[0]], keys: [] };
  const answers: Answers = {
    [`GET ${path}/credentials`]: () => [200, credentials],
    [`POST ${path}/secure`]: () => {
      answers[`GET ${path}/credentials`] = () => [200, remaining];
      return [200, remaining];
    },
  };
  const sent = show(<Security {...(email !== undefined && { of: email })} />, answers);
  const boxes = await waitFor(() => {
    const all = document.querySelectorAll<HTMLInputElement>('.ticks input');
    expect(all).toHaveLength(2);
    return all;
  });
  for (const box of boxes) fireEvent.click(box);
  press('End all sessions, remove 2');
  press('End and remove');
  await see(/^Done/);
  expect(sent.find(({ what }) => what === `POST ${path}/secure`)?.body).toEqual({ remove: ['k'], password: true });
  await waitFor(() => expect(hidden('Chrome on Windows')).toBe(true));
});
