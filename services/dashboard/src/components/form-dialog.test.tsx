import { afterEach, expect, jest, test } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import {
  type Answer,
  type Answers,
  hidden,
  link,
  press,
  pressTwice,
  see,
  setOnline,
  show,
} from '../../test/screen.tsx';
import { RevokeDialog } from '../links/revoke-dialog.tsx';

const POST = 'POST /api/v1/links/abc/revoke';
const GET = 'GET /api/v1/links/abc';
const ON_ITS_WAY = 'Sent. It can no longer be canceled.';
const OFFLINE = 'This device is offline. Nothing was sent, and nothing will be sent later.';

const showDialog = (answers: Answers) => {
  const onClose = jest.fn();
  return { onClose, sent: show(<RevokeDialog slug="abc" short="way.example/abc" onClose={onClose} />, answers) };
};
afterEach(() => setOnline(true));

test('a double click sends one request, which cannot be cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { onClose, sent } = showDialog({ [POST]: () => promise });
  pressTwice('Revoke permanently');
  await see(ON_ITS_WAY);
  expect(hidden('Keep the link')).toBe(true);
  fireEvent.keyDown(document.querySelector('dialog')!, { key: 'Escape' });
  expect(onClose).not.toHaveBeenCalled();
  resolve([200, link('abc', 'revoked')]);
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(sent.map(({ what }) => what)).toEqual([POST]);
});

test('without a network nothing is sent and the dialog says so, unless Waypost runs on this device', async () => {
  setOnline(false);
  const answers: Answers = { [POST]: () => [200, link('abc', 'revoked')] };
  const { onClose, sent } = showDialog(answers);
  press('Revoke permanently');
  await see(OFFLINE);
  expect(sent.map(({ what }) => what)).toEqual(['GET /healthz']);
  answers['GET /healthz'] = () => [200, { status: 'ok' }];
  press('Revoke permanently');
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});

test('after a lost answer, the dialog looks up whether the link was revoked: it says so if not, and closes if it was', async () => {
  let status = 'active';
  const { onClose } = showDialog({ [POST]: () => undefined, [GET]: () => [200, link('abc', status)] });
  press('Revoke permanently');
  await see('Checked: the change did not take effect.');
  status = 'revoked';
  press('Revoke permanently');
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});

test('if the look-up fails too, the user can only look again or close', async () => {
  const answers: Answers = { [POST]: () => undefined };
  const { onClose, sent } = showDialog(answers);
  press('Revoke permanently');
  await see('The change may have taken effect. Check before you try again.');
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Close', 'Check again']);
  answers[GET] = () => [200, link('abc', 'revoked')];
  press('Check again');
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(sent.filter(({ what }) => what === POST)).toHaveLength(1);
});
