/**
 * Reads a logo, and draws it into a PNG of at most 512 pixels. The browser draws an SVG as an image: no script in it
 * runs and nothing is loaded. What could cost much time is left out before.
 */
import type { QrLogo } from '@waypost/domain/qr-code';

const MOST_BYTES = 200_000;
/** In pixels. The content of a PNG is small and its picture large if it has one color. */
const MOST_SIDE = 4_096;
const SIDE = 512;

/** Keys of the texts that say what is wrong. */
export type LogoProblem = 'tooLarge' | 'tooManyPixels' | 'unreadable';

export interface ReadLogo {
  readonly logo: QrLogo;
  /** Some parts of the SVG were left out. */
  readonly isPartial: boolean;
}

interface Source {
  readonly content: Blob;
  readonly width: number;
  readonly height: number;
  readonly isPartial: boolean;
}

export async function readLogo(file: Blob): Promise<ReadLogo | LogoProblem> {
  if (file.size > MOST_BYTES) return 'tooLarge';
  const bytes = await file.arrayBuffer();
  const source = pngSource(bytes) ?? svgSource(new TextDecoder().decode(bytes));
  if (typeof source === 'string') return source;
  try {
    const image = await imageOf(await dataUri(source.content));
    const scale = Math.min(1, SIDE / Math.max(source.width, source.height));
    const [width, height] = [source.width, source.height].map((side) => Math.max(1, Math.round(side * scale)));
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    canvas.getContext('2d')!.drawImage(image, 0, 0, width!, height!);
    const logo = { href: canvas.toDataURL('image/png'), width: width!, height: height! };
    return { logo, isPartial: source.isPartial };
  } catch {
    return 'unreadable';
  }
}

/** Rejects if the browser cannot read it. */
export async function imageOf(href: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = href;
  await image.decode();
  return image;
}

const dataUri = (content: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(content);
  });

const PNG_SIGNATURE = 0x89504e47;

/** The first part of a PNG is its header, which has the width and height. */
function pngSource(bytes: ArrayBuffer): Source | LogoProblem | undefined {
  const view = new DataView(bytes);
  if (bytes.byteLength < 24 || view.getUint32(0) !== PNG_SIGNATURE) return undefined;
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (width > MOST_SIDE || height > MOST_SIDE) return 'tooManyPixels';
  return { content: new Blob([bytes], { type: 'image/png' }), width, height, isPartial: false };
}

const SVG = 'http://www.w3.org/2000/svg';
/** `use`, patterns, masks and filters are not among these: a few nested ones draw millions of shapes. */
const SHAPES =
  /^(svg|g|a|switch|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|defs|(linear|radial)Gradient|stop|clipPath|data-style)$/;
const STYLE = 'data-style';
const INVISIBLE = /^(title|desc|metadata)$/;
const COSTLY = /^(filter|mask|marker.*|stroke-dasharray|style|xml:base)$/;
const COSTLY_CSS = /filter|mask|marker|dasharray|animation|clip-path/i;
const DEEP = '* '.repeat(100);

function svgSource(text: string): Source | LogoProblem {
  // An entity may contain others, many times.
  if (!text.includes('<svg') || /<!ENTITY/i.test(text)) return 'unreadable';
  const parsed = new DOMParser().parseFromString(renamed(text), 'image/svg+xml');
  const root = parsed.documentElement;
  if (root.localName !== 'svg' || parsed.querySelector(`parsererror, ${DEEP}`) !== null) return 'unreadable';
  const size = sizeOf(root);
  if (size === undefined) return 'unreadable';
  const isPartial = clean(root);
  const scale = SIDE / Math.max(...size);
  const [width, height] = size.map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  if (!root.hasAttribute('viewBox')) root.setAttribute('viewBox', `0 0 ${size[0]} ${size[1]}`);
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  const markup = new XMLSerializer().serializeToString(root).replace(/(<\/?| )data-style\b/g, '$1style');
  const content = new Blob([markup], { type: 'image/svg+xml' });
  return { content, width, height, isPartial };
}

function sizeOf(root: Element): readonly [number, number] | undefined {
  const box = root
    .getAttribute('viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .slice(2);
  const [width, height] = (box ?? ['width', 'height'].map((name) => root.getAttribute(name) ?? '')).map(
    Number.parseFloat,
  );
  return Number.isFinite(width! / height!) && width! > 0 && height! > 0 ? [width!, height!] : undefined;
}

/** The policy of this page would report styles and handlers of a document that it parses. */
const renamed = (text: string) => text.replace(/(<\/?(?=style)|\s(?=style=|on[a-z]{3,20}=))/gi, '$1data-');

/** Returns whether something visible was left out. */
function clean(root: Element): boolean {
  let isPartial = false;
  for (const element of [root, ...root.querySelectorAll('*')]) {
    const isVisible = element.namespaceURI === SVG && !INVISIBLE.test(element.localName);
    if (!isVisible || !SHAPES.test(element.localName)) {
      isPartial ||= isVisible;
      element.remove();
      continue;
    }
    const isInClip = element.parentElement?.closest('clipPath') != null;
    for (const { name, value } of [...element.attributes]) {
      if (name === STYLE) element.setAttribute(name, cleanCss(value));
      else if (
        COSTLY.test(name) ||
        (name === 'clip-path' && isInClip) ||
        (/href$/.test(name) && !value.startsWith('#'))
      )
        element.removeAttribute(name);
    }
    if (element.localName === STYLE) element.textContent = cleanCss(element.textContent);
  }
  return isPartial;
}

/** `@` loads other style sheets; comments and `\` hide what a style sheet says. */
function cleanCss(css: string): string {
  if (/[@\\]|\/\*|url\((?!["']?#)/i.test(css)) return '';
  return css.replace(/[^{};]+/g, (declaration) => (COSTLY_CSS.test(declaration) ? '' : declaration));
}
