import type { PropsWithChildren, ReactNode } from 'react';
import { Crumb } from './crumb.tsx';
import { Title } from './title.tsx';

interface DetailHeadProps {
  readonly list: string;
  readonly href: string;
  readonly name: string;
  readonly title: string;
  readonly beside?: ReactNode;
  readonly actions: ReactNode;
}

export function DetailHead({ list, href, name, title, beside, actions, children }: PropsWithChildren<DetailHeadProps>) {
  return (
    <>
      <Crumb href={href} list={list}>
        {name}
      </Crumb>
      <div className="top">
        <div>
          <div className="h1slug">
            <Title>{title}</Title>
            {beside}
          </div>
          {children}
        </div>
        <div className="acts">{actions}</div>
      </div>
    </>
  );
}
