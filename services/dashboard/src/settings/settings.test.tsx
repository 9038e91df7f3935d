import { expect, test } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { type Answers, account, field, press, refusal, see, show, type } from '../../test/screen.tsx';
import { Settings } from './settings.tsx';

const PUT = 'PUT /api/v1/account/password';

test('the password form names the field of an error, reports a lost answer, and is empty after a change', async () => {
  const answers: Answers = {
    'GET /api/v1/account/passkeys': () => [200, { data: [] }],
    'GET /api/v1/account/credentials': () => [200, { sessions: [], devices: [], identities: [], passkeys: [] }],
    'GET /session/options': () => [200, { provider: null }],
    [PUT]: () => [400, refusal({ new_password: 'must have 12 to 1000 characters' })],
  };
  show(<Settings account={account} />, answers);
  type('Current password', 'the old one');
  type('New password', 'short');
  press('Change password');
  await see('New password must have 12 to 1000 characters.');
  expect(document.activeElement).toBe(field('New password'));
  answers[PUT] = () => undefined;
  press('Change password');
  await see(/The change may have taken effect\. Check before you try again\./);
  answers[PUT] = () => [200, {}];
  press('Change password');
  await waitFor(() => expect(field('New password').value).toBe(''));
});
