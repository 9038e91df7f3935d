import { useQuery } from '@tanstack/react-query';
import { waypost } from './api.ts';
import { fill, words } from './words.ts';

/** What the links of the account can be filtered by; asked anew whenever a link changes. */
export const useFacets = () =>
  useQuery({ queryKey: ['links', 'facets'], queryFn: ({ signal }) => waypost.facets({ signal }) });

/** Suggests the tags in use to the field whose `list` this is. */
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
