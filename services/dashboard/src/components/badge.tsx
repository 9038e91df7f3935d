import type { PropsWithChildren } from 'react';
import { words } from '../words.ts';
import { Icon } from './icon.tsx';

export function Status({ status }: { status: 'active' | 'flagged' | 'revoked' }) {
  return <Badge look={status}>{words.links.statuses[status]}</Badge>;
}

export function Badge({ look, children }: PropsWithChildren<{ look: 'active' | 'flagged' | 'revoked' }>) {
  return (
    <span className={`badge ${look}`}>
      <Icon name={look} />
      {children}
    </span>
  );
}
