import { expect, jest, test } from '@jest/globals';
import { button, link, press, see, show, type } from '../../test/screen.tsx';
import { TagManyDialog } from './tag-many-dialog.tsx';

const POST = 'POST /api/v1/links/tags';

test('the dialog says how many links change, and sends all at once', async () => {
  const links = [
    { ...link('a'), tags: ['draft'] },
    { ...link('b'), tags: ['spring'] },
  ] as never;
  const onTagged = jest.fn();
  const sent = show(<TagManyDialog links={links} onClose={() => undefined} onTagged={onTagged} />, {
    'GET /api/v1/facets': () => [200, { total: 0, statuses: {}, tags: [] }],
    [POST]: () => [200, { total_changed: 1 }],
  });
  await see('0 of 2 links will change.');
  expect(button('Change 0 links').ariaDisabled).toBe('true');
  press('Change 0 links');
  type('Tags to add', 'spring,');
  type('Tags to remove', 'draft,');
  await see('1 of 2 links will change.');
  press('Change 1 link');
  await see('1 link changed.');
  expect(sent.find(({ what }) => what === POST)!.body).toEqual({
    slugs: ['a', 'b'],
    add: ['spring'],
    remove: ['draft'],
  });
  expect(onTagged).toHaveBeenCalledTimes(1);
});

test('a link that would have more than ten tags is named before', async () => {
  const links = [{ ...link('full'), tags: Array.from({ length: 10 }, (_, i) => `${i}`) }] as never;
  show(<TagManyDialog links={links} onClose={() => undefined} onTagged={() => undefined} />, {});
  type('Tags to add', 'one more,');
  await see('More than 10 tags are not allowed: full.');
  expect(button('Change 1 link').ariaDisabled).toBe('true');
});
