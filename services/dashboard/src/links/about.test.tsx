import { expect, test } from '@jest/globals';
import { type Answers, button, field, link, press, refusal, see, show, type } from '../../test/screen.tsx';
import { About } from './about.tsx';

const PATCH = 'PATCH /api/v1/links/abc';
const about = { ...link('abc'), title: 'Old', note: 'Kept', tags: ['a'] };
const bodies = (sent: ReturnType<typeof show>) => sent.filter(({ what }) => what === PATCH).map(({ body }) => body);
const answers = (changed: Answers = {}): Answers => ({
  'GET /api/v1/facets': () => [200, { total: 0, statuses: {}, tags: [] }],
  [PATCH]: () => [200, about],
  ...changed,
});

test('only what changed is sent, and undo restores it', async () => {
  const sent = show(<About link={about as never} />, answers());
  expect(button('Save').ariaDisabled).toBe('true');
  type('Title', ' New ');
  type('Tags', 'b,');
  press('Save');
  await see('Undo');
  expect(bodies(sent)).toEqual([{ title: 'New', tags: ['a', 'b'] }]);
  press('Undo');
  await see('Undo');
  expect(bodies(sent).at(-1)).toEqual({ title: 'Old', tags: ['a'] });
});

test('an emptied field is removed, and an end is sent with its zone', async () => {
  const sent = show(<About link={about as never} />, answers());
  type('Note', ' ');
  type('Ends', '2030-06-01T18:00');
  press('Save');
  await see('Undo');
  expect(bodies(sent)).toEqual([{ note: null, ends_at: new Date('2030-06-01T18:00').toISOString() }]);
});

test('a refusal is shown at its field, and what was typed stays', async () => {
  const words = 'must be in the future';
  show(<About link={about as never} />, answers({ [PATCH]: () => [400, refusal({ ends_at: words })] }));
  type('Ends', '2020-06-01T18:00');
  press('Save');
  await see(new RegExp(words));
  expect(field('Ends').value).toBe('2020-06-01T18:00');
});

test('a revoked link has no end to change', async () => {
  show(<About link={{ ...about, status: 'revoked' } as never} />, answers());
  expect(() => field('Ends')).toThrow();
  expect(field('Title').value).toBe('Old');
});
