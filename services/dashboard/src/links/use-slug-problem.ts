import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, once } from '../api.ts';
import { useAnnounce } from '../components/index.ts';
import { fill, words } from '../words.ts';

export function useIsSlow(isOn: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => setSlow(true), 300);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isOn]);
  return isSlow;
}

/** A dry run needs a destination. It creates nothing and uses no quota. */
const ANY_DESTINATION = 'https://www.example.com/';

/** Returns a text if the slug is taken. The check waits until the user pauses. */
export function useSlugProblem(slug: string): string | undefined {
  const announce = useAnnounce();
  const [settled, setSettled] = useState(slug);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(slug), 400);
    return () => clearTimeout(timer);
  }, [slug]);
  const { data: isTaken = false } = useQuery({
    queryKey: ['slug', settled],
    queryFn: ({ signal }) =>
      once.check({ destination_url: ANY_DESTINATION, custom_slug: settled }, { signal }).then(() => false, isTakenBy),
    enabled: settled !== '' && settled === slug,
  });
  const problem = isTaken && settled === slug ? fill(words.links.taken, { slug }) : undefined;
  useEffect(() => {
    if (problem !== undefined) announce(problem);
  }, [problem, announce]);
  return problem;
}

/** Other problems are reported when the link is created. */
const isTakenBy = (error: unknown) => error instanceof ApiError && error.status === 409;
