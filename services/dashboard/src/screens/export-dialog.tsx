import { csv, EXPORT_FIELDS, exportRow } from '@waypost/links-file';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../action.ts';
import { type Listing, queryOf, waypost } from '../api.ts';
import { Button, Dialog, download, ErrorNote, Progress, useSay } from '../parts.tsx';
import { fill, words } from '../words.ts';

const FORMATS = { csv: ['CSV', 'text/csv'], jsonl: ['JSON lines', 'application/x-ndjson'] } as const;
type Format = keyof typeof FORMATS;

interface ExportDialogProps {
  readonly listing: Listing;
  readonly total: number;
  readonly onClose: () => void;
}

/**
 * All links of the filter, not of the page, the oldest first: new ones come at the end and move nothing. In memory until the
 * download begins: 100,000 links are some 30 MB.
 */
export default function ExportDialog({ listing, total, onClose }: ExportDialogProps) {
  const say = useSay();
  const [count, setCount] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run = useAction({
    mutationFn: async (format: Format) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      const { page: _page, limit: _limit, ...filter } = listing;
      const oldestFirst = queryOf({ ...filter, sort: 'created_at', order: 'asc' });
      const parts = format === 'csv' ? [csv([EXPORT_FIELDS])] : [];
      setCount(0);
      try {
        for await (const link of waypost.listAll(oldestFirst, { signal })) {
          parts.push(format === 'csv' ? csv([exportRow(link)]) : `${JSON.stringify(link)}\n`);
          if (parts.length % 100 === 0) setCount(parts.length);
        }
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      download(`links.${format}`, parts, FORMATS[format][1]);
      say(words.export.done);
      onClose();
    },
  });
  return (
    <Dialog
      title={fill(words.export.title, { count: total })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          {(['csv', 'jsonl'] as const).map((format) => (
            <Button look="primary" key={format} isOff={run.isPending} onClick={() => run.mutate(format)}>
              {FORMATS[format][0]}
            </Button>
          ))}
        </>
      }
    >
      <p>{words.export.what}</p>
      {run.isPending && (
        <Progress done={count} total={total} label={fill(words.export.progress, { done: count, total })} />
      )}
      <ErrorNote error={run.error} />
    </Dialog>
  );
}
