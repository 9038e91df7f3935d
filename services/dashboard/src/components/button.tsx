import type { ComponentProps } from 'react';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'onClick'> {
  readonly variant?: string;
  readonly label?: string;
  readonly isDisabled?: boolean;
  readonly onClick?: () => unknown;
}

/** Uses `aria-disabled`, because the Tab key skips a button with `disabled`. */
export function Button({ variant, label, isDisabled, onClick, ...button }: ButtonProps) {
  return (
    <button
      type="button"
      className={variant === undefined ? 'btn' : `btn ${variant}`}
      aria-label={label}
      aria-disabled={isDisabled}
      onClick={() => !isDisabled && onClick?.()}
      {...button}
    />
  );
}
