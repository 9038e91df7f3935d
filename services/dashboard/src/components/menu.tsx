import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly variant?: 'danger';
  /** A screen of the dashboard. */
  readonly href?: string;
  /** Another site, in a new tab. */
  readonly url?: string;
  readonly onChoose?: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/** A button with a menu: the arrow keys move, Esc closes it, and the focus returns to the button. */
export function Menu({ label, items }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        // Otherwise the press moves the focus, which closes an open menu, and the click opens it again.
        onMouseDown={(event) => isOpen && event.preventDefault()}
        onClick={() => (isOpen ? close() : setOpen(true))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <MenuList label={label} items={items} button={button.current!} onLeave={() => setOpen(false)} onClose={close} />
      )}
    </>
  );
}

interface MenuListProps extends MenuProps {
  readonly button: HTMLElement;
  /** The focus is elsewhere. */
  readonly onLeave: () => void;
  /** Closes the menu and puts the focus on its button. */
  readonly onClose: () => void;
}

function MenuList({ label, items, button, onLeave, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const itemsIn = () => [...list.current!.querySelectorAll<HTMLElement>('[role=menuitem]')];
  useLayoutEffect(() => {
    const menu = list.current!;
    // A popover is above everything, so that the table cannot cut it off.
    menu.showPopover();
    const put = () => place(menu, button);
    put();
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    addEventListener('resize', put);
    return () => removeEventListener('resize', put);
  }, [button]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = itemsIn();
    const at = all.findIndex((each) => each.contains(document.activeElement));
    const focus = (index: number) => all.at(index)?.focus();
    const moves = new Map([
      ['ArrowDown', () => focus((at + 1) % all.length)],
      ['ArrowUp', () => focus(at - 1)],
      ['Home', () => focus(0)],
      ['End', () => focus(-1)],
      ['Escape', onClose],
      [' ', () => all[at]?.click()],
    ]);
    const move = moves.get(event.key);
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
  return (
    <div
      ref={list}
      popover="manual"
      className="pop"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget: to }) => to !== button && !list.current?.contains(to) && onLeave()}
    >
      {items.map((item) => (
        <Item key={item.label} {...item} onClose={onClose} />
      ))}
    </div>
  );
}

function Item({ label, icon, variant, href, url, onChoose, onClose }: MenuItem & { onClose: () => void }) {
  const props = { role: 'menuitem', tabIndex: -1, className: `pop-item ${variant ?? ''}` };
  const content = (
    <>
      <Icon name={icon} />
      {label}
    </>
  );
  if (href !== undefined)
    return (
      <Link href={href} {...props}>
        {content}
      </Link>
    );
  if (url !== undefined)
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" onClick={onClose} {...props}>
        {content}
      </a>
    );
  const choose = () => {
    onClose();
    onChoose?.();
  };
  return (
    <button type="button" onClick={choose} {...props}>
      {content}
    </button>
  );
}

const GAP = 4;
/** Pixels at the lower end of a narrow window, where the navigation is. */
const BELOW = 64;

/** Below the button, or above it where there is no room. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isAbove = at.bottom + GAP + height > innerHeight - BELOW && at.top > height;
  menu.style.top = `${scrollY + (isAbove ? at.top - GAP - height : at.bottom + GAP)}px`;
  menu.style.left = `${scrollX + Math.max(GAP, at.right - width)}px`;
}
