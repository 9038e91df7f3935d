import { words } from '../words.ts';

export function Skeleton({ rows }: { rows: number }) {
  return (
    <div className="pad" aria-busy="true">
      <span className="sr">{words.loading}</span>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <p key={i}>
          <span className="sk" />
          &nbsp;
        </p>
      ))}
    </div>
  );
}
