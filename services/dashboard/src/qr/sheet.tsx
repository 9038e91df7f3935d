/** Pages of QR codes to print. */
import type { QrDesign } from '@waypost/domain/qr-code';
import { codeOf, frameOf, logoBox, svgOf } from '@waypost/qr-code/svg';
import { useState } from 'react';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import type { Account } from '../api.ts';
import { Button, Crumb, Empty, Head, Note, NumberChoice, Segments, shortUrl } from '../components/index.ts';
import { useDrafts } from '../drafts.tsx';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import type { SheetLink } from './open-sheet.ts';
import { withoutPicture } from './picture.tsx';

const t = words.sheet;

const MOST = 500;

/** In millimeters, without a margin of 10 on each side. The style sheet has the same sizes. */
const PAPERS = { a4: { width: 190, height: 276 }, letter: { width: 195, height: 258 } } as const;
type Paper = keyof typeof PAPERS;
const USES_LETTER = /-(US|CA|MX)$/;

const COLUMNS = [2, 3, 4, 5, 6].map((count) => [count, String(count)] as const);
/** Two lines of text, and the space around a code. */
const TEXT_MM = 13;

/** As many rows as fit, because a printer may break a page anywhere. */
function pagesOf(links: readonly SheetLink[], paper: Paper, columns: number): readonly (readonly SheetLink[])[] {
  const { width, height } = PAPERS[paper];
  const size = columns * Math.floor(height / (width / columns + TEXT_MM));
  const count = Math.ceil(links.length / size);
  return Array.from({ length: count }, (_, page) => links.slice(page * size, (page + 1) * size));
}

export default function Sheet({ account }: { account: Account }) {
  const { design } = useDrafts();
  const all: readonly SheetLink[] = useHistoryState() ?? [];
  const [paper, setPaper] = useState<Paper>(USES_LETTER.test(navigator.language) ? 'letter' : 'a4');
  const [columns, setColumns] = useState(3);
  const [caption, setCaption] = useState<'title' | 'link'>('title');
  if (all.length === 0)
    return (
      <>
        <Head title={t.open} />
        <Empty title={t.none}>
          <p>{t.noneHow}</p>
          <Link href={screens.links}>{words.links.title}</Link>
        </Empty>
      </>
    );
  const links = all.slice(0, MOST);
  const pages = pagesOf(links, paper, columns);
  const inactive = links.filter(({ status }) => status !== 'active').length;
  return (
    <div className="sheet">
      <Crumb href={screens.links} list={words.links.title}>
        {t.open}
      </Crumb>
      <Head title={fill(t.title, { count: links.length })}>
        <Button variant="primary" onClick={() => window.print()}>
          {t.print}
        </Button>
      </Head>
      <div className="filters">
        <Segments
          label={t.paper}
          options={(['a4', 'letter'] as const).map((each) => [each, t.papers[each]])}
          value={paper}
          onChange={setPaper}
        />
        <span className="lbl">{t.caption}</span>
        <Segments
          label={t.caption}
          options={(['title', 'link'] as const).map((each) => [each, t.captions[each]])}
          value={caption}
          onChange={setCaption}
        />
        <NumberChoice label={t.columns} options={COLUMNS} value={columns} onChange={setColumns} />
        <span className="hint" role="status">
          {fill(t.pages, { pages: pages.length })}
        </span>
      </div>
      {all.length > MOST && <Note variant="flag">{fill(t.most, { most: MOST, count: all.length })}</Note>}
      {inactive > 0 && <Note variant="flag">{fill(t.inactive, { count: inactive })}</Note>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone, the keyboard scrolls it */}
      <section className="pages-to-print" aria-label={t.open} tabIndex={0}>
        {pages.map((page) => (
          <ul
            key={page[0]!.slug}
            className={`paper ${paper}`}
            style={{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}
          >
            {page.map(({ slug, title }) => (
              <li key={slug}>
                <SheetCode url={`${account.redirect_base_url}/${slug}`} design={design} />
                <bdi>{(caption === 'title' && title) || shortUrl(account.redirect_base_url, slug)}</bdi>
              </li>
            ))}
          </ul>
        ))}
      </section>
    </div>
  );
}

/**
 * A picture of its own for each code would be a document of its own for the browser, and take 30 seconds for 500. The
 * logo is not in the drawing, because it would take its memory 500 times.
 */
function SheetCode({ url, design: { logo, ...design } }: { url: string; design: QrDesign }) {
  const plain = { ...design, words: '', logo: withoutPicture(logo) };
  const code = codeOf(url, plain);
  const frame = frameOf(code.size, plain);
  const box = logo && logoBox(code.size, logo);
  const percent = (length: number) => `${(100 * length) / frame.width}%`;
  return (
    <span className="code">
      <span
        role="img"
        aria-label={fill(words.qr.alt, { url })}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: no word of it is written by anybody
        dangerouslySetInnerHTML={{ __html: svgOf(code, plain) }}
      />
      {box && (
        <img
          className="over"
          src={logo.href}
          alt=""
          style={{ left: percent(box.x - frame.x), top: percent(box.y - frame.y), width: percent(box.width) }}
        />
      )}
    </span>
  );
}
