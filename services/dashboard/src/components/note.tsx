import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface NoteProps extends ComponentProps<'div'> {
  readonly variant?: string;
  readonly icon?: IconName;
}

export function Note({ variant, icon, children, ...div }: NoteProps) {
  return (
    <div className={variant === undefined ? 'note' : `note ${variant}`} {...div}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </div>
  );
}
