import { useState } from 'react';
import { Button, Dialog, Icon } from '../components/index.ts';
import { fill, words } from '../words.ts';

/** Pixels. Enough for print. */
const PNG_SIZE = 1024;

/** The API draws the code. */
export function QrCode({ url, slug }: { url: string; slug: string }) {
  const picture = `/api/v1/links/${encodeURIComponent(slug)}/qr`;
  return (
    <div className="qr">
      <img src={picture} alt={fill(words.qr.alt, { url })} width={160} height={160} />
      <div className="acts">
        <a className="btn" href={picture} download={`${slug}.svg`}>
          <Icon name="download" />
          SVG
        </a>
        <a className="btn" href={`${picture}?format=png&size=${PNG_SIZE}`} download={`${slug}.png`}>
          <Icon name="download" />
          PNG
        </a>
      </div>
    </div>
  );
}

export function QrButton({ url, slug }: { url: string; slug: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="icon" aria-label={fill(words.qr.of, { slug })} onClick={() => setOpen(true)}>
        <Icon name="qr" />
      </button>
      {open && (
        <Dialog
          title={words.qr.title}
          onClose={() => setOpen(false)}
          foot={<Button onClick={() => setOpen(false)}>{words.close}</Button>}
        >
          <p>
            <bdi>{url}</bdi>
          </p>
          <QrCode url={url} slug={slug} />
        </Dialog>
      )}
    </>
  );
}
