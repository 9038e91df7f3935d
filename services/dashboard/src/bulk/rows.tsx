import { shownUrl } from '@waypost/links-file';
import { type ReactNode, useId, useState } from 'react';
import { Check, Destination, Icon, Pages, Table } from '../components/index.ts';
import { words } from '../words.ts';
import type { Checked } from './check-links.ts';

const t = words.many;

export function Bad({ children }: { children: ReactNode }) {
  return (
    <span className="err">
      <Icon name="bad" />
      <span>{children}</span>
    </span>
  );
}

export const Problems = ({ problems }: { problems: readonly string[] }) => (
  <Bad>
    <span lang="en">{problems.join('; ')}</span>
  </Bad>
);

interface RowsProps {
  readonly title: string;
  readonly note: string;
  readonly checked: Checked;
  readonly result: (row: number) => ReactNode;
  readonly tone: (row: number) => string;
  readonly children: ReactNode;
}

const ROWS_ON_A_PAGE = 100;

export function Rows({ title, note, checked: { links, places }, result, tone, children }: RowsProps) {
  const id = useId();
  const [requestedPage, setPage] = useState(1);
  const [onlyBad, setOnlyBad] = useState(false);
  const bad = links.flatMap((_link, row) => (tone(row) === 'bad' ? [row] : []));
  const visible = onlyBad && bad.length > 0 ? bad : links.map((_link, row) => row);
  const pages = Math.max(1, Math.ceil(visible.length / ROWS_ON_A_PAGE));
  const page = Math.min(requestedPage, pages);
  return (
    <section className="card" aria-labelledby={id}>
      <div className="rows-head">
        <h2 id={id}>{title}</h2>
        {bad.length > 0 && (
          <Check label={t.onlyBad} checked={onlyBad} onChange={(event) => setOnlyBad(event.currentTarget.checked)} />
        )}
        <span className="hint">{note}</span>
      </div>
      <Table variant="rows" heads={[[t.row, 'r-n'], [t.destination], [t.address, 'r-slug'], [t.result, 'r-res']]}>
        {visible.slice((page - 1) * ROWS_ON_A_PAGE, page * ROWS_ON_A_PAGE).map((row) => (
          <tr className={tone(row)} key={row}>
            <td className="r-n">{places[row]?.replace(/^\D+/, '')}</td>
            <td>
              <Destination url={shownUrl(links[row])} />
            </td>
            <td className="r-slug">
              <bdi className="cut">{links[row]?.custom_slug ?? t.random}</bdi>
            </td>
            <td className="r-res">{result(row)}</td>
          </tr>
        ))}
      </Table>
      {pages > 1 && (
        <div className="pad">
          <Pages page={page} pages={pages} total={visible.length} size={ROWS_ON_A_PAGE} onPage={setPage} />
        </div>
      )}
      <div className="act">{children}</div>
    </section>
  );
}
