import type { ComponentProps } from 'react';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'onClick'> {
  readonly look?: string;
  readonly label?: string;
  readonly isOff?: boolean;
  readonly onClick?: () => unknown;
}

/** Uses `aria-disabled`, because the Tab key skips a button with `disabled`. */
export function Button({ look, label, isOff, onClick, ...button }: ButtonProps) {
  return (
    <button
      type="button"
      className={look === undefined ? 'btn' : `btn ${look}`}
      aria-label={label}
      aria-disabled={isOff}
      onClick={() => !isOff && onClick?.()}
      {...button}
    />
  );
}
