import { useId } from 'react';
import { ChosenTag, Options, onForm, SearchField, Segments, textIn } from '../components/index.ts';
import { oneOf } from '../hooks/url-state.ts';
import { words } from '../words.ts';
import { TagSuggestions, useFacets } from './facets.tsx';
import { type Listing, ORDERS, SORTS, STATUSES, withTag } from './listing.ts';

const t = words.links;

export interface ListingProps {
  readonly listing: Listing;
  readonly onShow: (change: Partial<Listing>) => void;
}

export function Filters({ listing, onShow }: ListingProps) {
  const { data: { total, statuses } = {} } = useFacets();
  return (
    <search className="filters">
      <SearchField label={t.search} value={listing.search} onChange={(search) => onShow({ search })} />
      <Segments
        label={t.status}
        options={STATUSES.map((each) =>
          each === '' ? [each, t.all, total] : [each, t.statuses[each], statuses?.[each]],
        )}
        value={listing.status}
        onChange={(status) => onShow({ status })}
      />
      <TagFilter tags={listing.tag} onChange={(tag) => onShow({ tag })} />
      <span className="grow" />
      <select
        className="in sort"
        aria-label={t.sort}
        value={`${listing.sort} ${listing.order}`}
        onChange={(event) => {
          const [sort = '', order = ''] = event.currentTarget.value.split(' ');
          onShow({ sort: SORTS.find((each) => each === sort) ?? listing.sort, order: oneOf(ORDERS, order) });
        }}
      >
        <Options
          of={SORTS.flatMap((sort) => ORDERS.map((order) => [`${sort} ${order}`, t.sorts[sort][order]] as const))}
        />
      </select>
    </search>
  );
}

function TagFilter({ tags, onChange }: { tags: readonly string[]; onChange: (tags: readonly string[]) => void }) {
  const id = useId();
  return (
    <form
      className="tagfilter"
      onSubmit={onForm((form) => {
        const tag = textIn(form, 'tag').trim();
        form.reset();
        if (tag !== '') onChange(withTag(tags, tag));
      })}
    >
      {tags.map((tag) => (
        <ChosenTag key={tag} tag={tag} onRemove={() => onChange(tags.filter((each) => each !== tag))} />
      ))}
      <input
        className="in"
        name="tag"
        autoComplete="off"
        list={id}
        aria-label={t.tagFilter}
        placeholder={t.tagFilter}
      />
      <TagSuggestions id={id} />
    </form>
  );
}
