import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Dialog, Icon, Skeleton } from '../components/index.ts';
import { fill, words } from '../words.ts';

async function draw(url: string) {
  const { PNG, qrCode, svgOf } = await import('@waypost/qr-code');
  const code = qrCode(url);
  return {
    svg: `data:image/svg+xml,${encodeURIComponent(svgOf(code))}`,
    png: code.toDataURL({ ...PNG, type: 'image/png' }),
  };
}

export function QrCode({ url, slug }: { url: string; slug: string }) {
  const code = useQuery({ queryKey: ['qr', url], queryFn: () => draw(url), staleTime: Number.POSITIVE_INFINITY });
  if (code.data === undefined) return <Skeleton rows={4} />;
  return (
    <div className="qr">
      <img src={code.data.svg} alt={fill(words.qr.alt, { url })} width={160} height={160} />
      <div className="acts">
        <a className="btn" href={code.data.svg} download={`${slug}.svg`}>
          <Icon name="download" />
          SVG
        </a>
        <a className="btn" href={code.data.png} download={`${slug}.png`}>
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
