import { useQuery } from '@tanstack/react-query';
import { waypost } from '../api.ts';
import { fill, words } from '../words.ts';

/** The key starts with `links`, so that a change of a link refetches the facets. */
export const useFacets = () =>
  useQuery({ queryKey: ['links', 'facets'], queryFn: ({ signal }) => waypost.facets({ signal }) });

export function TagSuggestions({ id }: { id: string }) {
  const { data } = useFacets();
  return (
    <datalist id={id}>
      {data?.tags.map(({ tag, count }) => (
        <option key={tag} value={tag} label={fill(words.tags.links, { count })} />
      ))}
    </datalist>
  );
}
