import { expect, jest, test } from '@jest/globals';
import { type Answers, button, link, press, see, show, type } from '../../test/screen.tsx';
import { RevokeManyDialog } from './revoke-many-dialog.tsx';

const post = (slug: string) => `POST /api/v1/links/${slug}/revoke`;
const refused = [400, { error: 'bad_request', message: 'It is revoked.' }] as const;

test('links are revoked after the user types their number, and a lost answer does not count as a refusal', async () => {
  const answers: Answers = {
    [post('a')]: () => undefined,
    [post('b')]: () => [200, link('b', 'revoked')],
    [post('c')]: () => refused,
  };
  const onRevoked = jest.fn();
  const links = ['a', 'b', 'c'].map((slug) => link(slug)) as never;
  show(<RevokeManyDialog links={links} onClose={() => undefined} onRevoked={onRevoked} />, answers);
  press('Revoke 3 permanently');
  expect(button('Keep them')).toBeDefined();
  type('Type 3 to confirm', '3');
  press('Revoke 3 permanently');
  await see('Waypost is not responding. Your input is kept.');
  answers[post('a')] = () => refused;
  answers['GET /api/v1/links/a'] = () => [200, link('a', 'revoked')];
  press('Revoke 3 permanently');
  await see('1 cannot be revoked, because they are flagged or already revoked: c.');
  await see('2 of 3 revoked');
  expect(onRevoked).toHaveBeenCalledTimes(2);
});
