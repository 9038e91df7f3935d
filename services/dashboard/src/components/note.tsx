import type { ComponentProps } from 'react';
import { Icon } from './icon.tsx';

interface NoteProps extends ComponentProps<'div'> {
  readonly look?: string;
  readonly icon?: ComponentProps<typeof Icon>['name'];
}

export function Note({ look, icon, children, ...div }: NoteProps) {
  return (
    <div className={look === undefined ? 'note' : `note ${look}`} {...div}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </div>
  );
}
