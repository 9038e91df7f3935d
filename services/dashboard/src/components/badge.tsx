import type { PropsWithChildren } from 'react';
import { words } from '../words.ts';
import { Icon } from './icon.tsx';

export function Status({ status }: { status: 'active' | 'flagged' | 'revoked' }) {
  return <Badge status={status}>{words.links.statuses[status]}</Badge>;
}

export function Badge({ status, children }: PropsWithChildren<{ status: 'active' | 'flagged' | 'revoked' | 'tick' }>) {
  return (
    <span className={`badge ${status}`}>
      <Icon name={status} />
      {children}
    </span>
  );
}
