import type { QrDesign, QrLogo } from '@waypost/domain/qr-code';
import { codeOf, frameOf, logoBox, pixelsOf, svgOf } from '@waypost/qr-code/svg';
import { waypost } from '../api.ts';
import { Button, download, Icon, Note } from '../components/index.ts';
import { useAction } from '../hooks/use-action.ts';
import { fill, words } from '../words.ts';
import { isPlain } from './design.ts';
import { imageOf } from './logo.ts';

const t = words.qr;

const uriOf = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** Leaves the place of a logo free. */
export const withoutPicture = (logo: QrLogo | undefined) => logo && { ...logo, href: '' };

interface PictureProps {
  readonly url: string;
  readonly design: QrDesign;
}

export function Picture({ url, design }: PictureProps) {
  return <img src={uriOf(svgOf(codeOf(url, design), design))} alt={fill(t.alt, { url })} />;
}

interface DownloadsProps extends PictureProps {
  readonly slug: string;
  readonly isDisabled?: boolean;
}

export function Downloads({ url, slug, design, isDisabled = false }: DownloadsProps) {
  const save = useAction({
    mutationFn: async (format: 'svg' | 'png') => {
      const code = codeOf(url, design);
      if (format === 'svg') return download(`${slug}.svg`, [svgOf(code, design)], 'image/svg+xml');
      const { size, margin, color, background } = design;
      // The API compresses a PNG in another way than browsers. The same options give the same bytes everywhere.
      const png = isPlain(design)
        ? await waypost.qr(slug, { format, size, margin, color, background })
        : await pngOf(url, design);
      download(`${slug}.png`, [png as BlobPart], 'image/png');
    },
  });
  return (
    <>
      {save.error !== null && (
        <Note variant="bad" icon="bad" role="alert">
          {t.notDrawn}
        </Note>
      )}
      {(['svg', 'png'] as const).map((format) => (
        <Button key={format} isDisabled={isDisabled || save.isPending} onClick={() => save.mutate(format)}>
          <Icon name="download" />
          {format.toUpperCase()}
        </Button>
      ))}
    </>
  );
}

/** Draws the logo itself, because Safari may draw an SVG before the pictures in it. */
async function pngOf(url: string, { logo, ...design }: QrDesign): Promise<Blob> {
  const code = codeOf(url, { ...design, logo });
  const [width, height] = pixelsOf(code, design).map(Math.round) as [number, number];
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  context.drawImage(await imageOf(uriOf(svgOf(code, { ...design, logo: withoutPicture(logo) }))), 0, 0, width, height);
  if (logo !== undefined) {
    const frame = frameOf(code.size, design);
    const box = logoBox(code.size, logo);
    const scale = width / frame.width;
    const [x, y] = [(box.x - frame.x) * scale, (box.y - frame.y) * scale];
    context.drawImage(await imageOf(logo.href), x, y, box.width * scale, box.height * scale);
  }
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (png === null) throw new Error('The picture is too large for this browser.');
  return png;
}
