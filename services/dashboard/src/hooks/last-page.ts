import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

type Paged = Pick<UseQueryResult<{ page: number; total_pages: number }>, 'data' | 'isPlaceholderData'>;

/**
 * Goes to the last page if the address has a later one, for example because the list became shorter. Returns true
 * until the last page is loaded. `show` corrects the address.
 */
export function useLastPage({ data, isPlaceholderData }: Paged, show: (page: number) => void): boolean {
  const last = data?.total_pages ?? 0;
  const isPast = data !== undefined && last > 0 && data.page > last;
  useEffect(() => {
    if (isPast && !isPlaceholderData) show(last);
  }, [isPast, isPlaceholderData, last, show]);
  return isPast;
}
