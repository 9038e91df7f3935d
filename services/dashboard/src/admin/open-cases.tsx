import { useQuery } from '@tanstack/react-query';
import { waypost } from '../api.ts';
import { number } from '../language.ts';
import { fill, words } from '../words.ts';

/** Shows how many reports and reviews wait for a decision; nothing if none does. */
export function OpenCases() {
  const { data } = useQuery({
    queryKey: ['cases', 'count'],
    queryFn: ({ signal }) => waypost.admin.caseCount({ signal }),
    refetchInterval: 60_000,
  });
  const count = data === undefined ? 0 : data.report.open + data.review.open;
  if (count === 0) return null;
  return (
    <>
      <b className="num waiting" aria-hidden="true">
        {number(count)}
      </b>
      <span className="sr">{fill(words.nav.waiting, { count })}</span>
    </>
  );
}
