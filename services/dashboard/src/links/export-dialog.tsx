import { csv, EXPORT_FIELDS, exportRow } from '@waypost/links-file';
import { useEffect, useRef, useState } from 'react';
import { waypost } from '../api.ts';
import { Button, Dialog, download, ErrorNote, Progress, useAnnounce } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { fill, words } from '../words.ts';
import { type Listing, queryOf } from './listing.ts';

const t = words.export;

const FORMATS = { csv: ['CSV', 'text/csv'], jsonl: ['JSON lines', 'application/x-ndjson'] } as const;
type Format = keyof typeof FORMATS;

interface ExportDialogProps {
  readonly listing: Listing;
  readonly total: number;
  readonly onClose: () => void;
}

/**
 * Exports all pages of the filter, oldest first, so that a new link comes last and moves no other. The most clicked
 * links keep their order, because any other order lists all links. The file is built in memory: 100,000 links need
 * about 30 MB.
 */
export default function ExportDialog({ listing, total, onClose }: ExportDialogProps) {
  const announce = useAnnounce();
  const [count, setCount] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run = useAction({
    mutationFn: async (format: Format) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      const { page: _page, limit: _limit, ...filter } = listing;
      const isRanked = filter.sort === 'clicks';
      const query = queryOf(isRanked ? filter : { ...filter, sort: 'created_at', order: 'asc' });
      const parts = format === 'csv' ? [csv([EXPORT_FIELDS])] : [];
      let done = 0;
      setCount(done);
      try {
        for await (const link of waypost.listAll(query, { signal })) {
          parts.push(format === 'csv' ? csv([exportRow(link)]) : `${JSON.stringify(link)}\n`);
          done += 1;
          if (done % 100 === 0) setCount(done);
        }
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      download(`links.${format}`, parts, FORMATS[format][1]);
      announce(t.done);
      onClose();
    },
  });
  return (
    <Dialog
      title={fill(t.title, { count: total })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          {(['csv', 'jsonl'] as const).map((format) => (
            <Button variant="primary" key={format} isDisabled={run.isPending} onClick={() => run.mutate(format)}>
              {FORMATS[format][0]}
            </Button>
          ))}
        </>
      }
    >
      <p>{listing.sort === 'clicks' ? words.links.mostClicked : t.what}</p>
      {run.isPending && <Progress done={count} total={total} label={fill(t.progress, { done: count, total })} />}
      <ErrorNote error={run.error} />
    </Dialog>
  );
}
