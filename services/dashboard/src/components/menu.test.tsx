import { expect, jest, test } from '@jest/globals';
import { fireEvent, screen } from '@testing-library/react';
import { button, press, show } from '../../test/screen.tsx';
import { Menu } from './menu.tsx';

const onRevoke = jest.fn();
const showMenu = () =>
  show(
    <Menu
      label="Actions"
      items={[
        { label: 'Copy', icon: 'copy' },
        { label: 'Details', icon: 'overview', href: '/links/abc' },
        { label: 'Revoke', icon: 'revoked', onChoose: onRevoke },
      ]}
    />,
    {},
  );
const focused = () => document.activeElement?.textContent || document.activeElement?.ariaLabel;
const key = (name: string) => fireEvent.keyDown(document.activeElement!, { key: name });
const isOpen = () => screen.queryByRole('menu', { hidden: true }) !== null;

test('the arrow keys move around the menu, and Esc returns to its button', () => {
  showMenu();
  button('Actions').focus();
  key('ArrowDown');
  const order = ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End'].map((each) => {
    key(each);
    return focused();
  });
  expect(order).toEqual(['Details', 'Revoke', 'Copy', 'Revoke', 'Copy', 'Revoke']);
  expect(button('Actions').ariaExpanded).toBe('true');
  key('Escape');
  expect([isOpen(), focused(), button('Actions').ariaExpanded]).toEqual([false, 'Actions', 'false']);
});

test('an item acts after the focus has returned, so that a dialog can return it as well; Space chooses a link', () => {
  showMenu();
  press('Actions');
  onRevoke.mockImplementation(() => expect(focused()).toBe('Actions'));
  press('Revoke');
  expect(onRevoke).toHaveBeenCalledTimes(1);
  press('Actions');
  key('ArrowDown');
  const follow = jest.spyOn(HTMLAnchorElement.prototype, 'click');
  key(' ');
  expect(follow.mock.contexts).toEqual([screen.getByText('Details')]);
});

test('the menu closes when the focus is elsewhere, and a second press on its button closes it', () => {
  showMenu();
  press('Actions');
  fireEvent.blur(document.activeElement!, { relatedTarget: button('Actions') });
  expect(isOpen()).toBe(true);
  press('Actions');
  expect(isOpen()).toBe(false);
  press('Actions');
  fireEvent.blur(document.activeElement!, { relatedTarget: document.body });
  expect(isOpen()).toBe(false);
});
