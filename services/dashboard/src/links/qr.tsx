import { lazy, Suspense, useState } from 'react';
import { Button, Icon } from '../components/index.ts';
import { useDrafts } from '../drafts.tsx';
import { Downloads, Picture } from '../qr/picture.tsx';
import { fill, words } from '../words.ts';

const Designer = lazy(() => import('../qr/designer.tsx'));

interface QrProps {
  readonly url: string;
  readonly slug: string;
}

export function QrDialog(props: QrProps & { readonly onClose: () => void }) {
  return (
    <Suspense>
      <Designer {...props} />
    </Suspense>
  );
}

export function QrCode({ url, slug }: QrProps) {
  const { design } = useDrafts();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="qr">
      <Picture url={url} design={design} />
      <div className="acts">
        <Button onClick={() => setOpen(true)}>{words.qr.open}</Button>
        <Downloads url={url} slug={slug} design={design} />
      </div>
      {isOpen && <QrDialog url={url} slug={slug} onClose={() => setOpen(false)} />}
    </div>
  );
}

export function QrButton({ url, slug }: QrProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="icon" aria-label={fill(words.qr.of, { slug })} onClick={() => setOpen(true)}>
        <Icon name="qr" />
      </button>
      {isOpen && <QrDialog url={url} slug={slug} onClose={() => setOpen(false)} />}
    </>
  );
}
