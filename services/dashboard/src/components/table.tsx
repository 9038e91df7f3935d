import type { PropsWithChildren } from 'react';
import { words } from '../words.ts';

interface TableProps {
  readonly caption?: string;
  readonly variant?: string;
  readonly heads: readonly (readonly [label: string, className?: string])[];
  readonly actions?: string;
}

export function Table({ caption, variant = 'flat', heads, actions, children }: PropsWithChildren<TableProps>) {
  return (
    <table className={`tbl ${variant}`}>
      {caption !== undefined && <caption className="sr">{caption}</caption>}
      <thead>
        <tr>
          {heads.map(([label, className]) => (
            <th key={label} className={className}>
              {label}
            </th>
          ))}
          {actions !== undefined && <ActionsHead className={actions} />}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

export function ActionsHead({ className }: { className: string }) {
  return (
    <th className={className}>
      <span className="sr">{words.links.actions}</span>
    </th>
  );
}
