import { fill, words } from '../words.ts';
import { Icon } from './icon.tsx';

export function Tag({ children, title = children }: { children: string; title?: string }) {
  return (
    <span className="tag" title={title}>
      <bdi className="cut">{children}</bdi>
    </span>
  );
}

export function ChosenTag({ tag, onRemove }: { tag: string; onRemove: () => void }) {
  return (
    <span className="tag">
      <bdi className="cut">{tag}</bdi>
      <button type="button" className="icon" aria-label={fill(words.tags.remove, { tag })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
