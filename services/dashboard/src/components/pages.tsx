import { fill, words } from '../words.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Options } from './options.tsx';

const t = words.links;

interface PagesProps {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly size: number;
  readonly sizes?: readonly number[];
  readonly onPage: (page: number) => void;
  readonly onSize?: (size: number) => void;
}

export function Pages({ page, pages, total, size, sizes, onPage, onSize }: PagesProps) {
  const first = (page - 1) * size;
  return (
    <div className="foot">
      <span className="num">
        {fill(t.range, { from: Math.min(first + 1, total), to: Math.min(first + size, total), total })}
      </span>
      {sizes !== undefined && (
        <select
          className="in size"
          aria-label={t.pageSize}
          value={size}
          onChange={(event) => onSize?.(Number(event.currentTarget.value))}
        >
          <Options of={sizes.map((each) => [each, fill(t.perPage, { count: each })])} />
        </select>
      )}
      <nav className="pages" aria-label={t.pages}>
        <Button variant="quiet" label={t.previous} isDisabled={page <= 1} onClick={() => onPage(page - 1)}>
          <Icon name="back" />
        </Button>
        <span className="num">{fill(t.page, { page, pages })}</span>
        <Button variant="quiet" label={t.next} isDisabled={page >= pages} onClick={() => onPage(page + 1)}>
          <Icon name="forth" />
        </Button>
      </nav>
    </div>
  );
}
