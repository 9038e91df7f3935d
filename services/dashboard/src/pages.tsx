import { Button, Icon } from './parts.tsx';
import { fill, words } from './words.ts';

interface PagesProps {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly size: number;
  /** To choose from, where there is a choice. */
  readonly sizes?: readonly number[];
  readonly onPage: (page: number) => void;
  readonly onSize?: (size: number) => void;
}

export function Pages({ page, pages, total, size, sizes, onPage, onSize }: PagesProps) {
  const first = (page - 1) * size;
  const [atStart, atEnd] = [page <= 1, page >= pages];
  return (
    <div className="foot">
      <span className="num">
        {fill(words.links.range, { from: Math.min(first + 1, total), to: Math.min(first + size, total), total })}
      </span>
      {sizes !== undefined && (
        <select
          className="in size"
          aria-label={words.links.pageSize}
          value={size}
          onChange={(event) => onSize?.(Number(event.currentTarget.value))}
        >
          {sizes.map((each) => (
            <option key={each} value={each}>
              {fill(words.links.perPage, { count: each })}
            </option>
          ))}
        </select>
      )}
      <nav className="pages" aria-label={words.links.pages}>
        <Button look="quiet" label={words.links.previous} isOff={atStart} onClick={() => onPage(page - 1)}>
          <Icon name="back" />
        </Button>
        <span className="num">{fill(words.links.page, { page, pages })}</span>
        <Button look="quiet" label={words.links.next} isOff={atEnd} onClick={() => onPage(page + 1)}>
          <Icon name="forth" />
        </Button>
      </nav>
    </div>
  );
}
