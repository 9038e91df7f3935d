/** Each picture of a visitor page is a signpost that shows the state of the link. */
import { type Html, trusted } from '@waypost/html';

const POST =
  '<path d="M0 124h208" stroke="var(--wood)" stroke-width="2"/><rect x="60" y="4" width="12" height="120" fill="var(--wood)"/>';
const NAILS = '<circle cx="66" cy="29" r="2.5" fill="var(--bg)"/><circle cx="66" cy="45" r="2.5" fill="var(--bg)"/>';
const EMPTY_PLACE =
  '<path d="M38 20h94l18 17-18 17H38z" fill="none" stroke="var(--control)" stroke-width="2" stroke-dasharray="5 5"/>';

export const PICTURES = {
  up: picture('<path d="M38 20h94l18 17-18 17H38z" fill="var(--board)"/>'),
  takenDown: picture(
    `${EMPTY_PLACE}${NAILS}<path d="M96 90h84l18 17-18 17H96z" fill="var(--board)" transform="rotate(4 146 124) translate(2 -3)"/>`,
  ),
  barred: picture(
    '<defs><clipPath id="c"><path d="M22 22h128l24 23-24 23H22z"/></clipPath></defs><g clip-path="url(#c)"><rect x="20" y="20" width="160" height="50" fill="#fff"/><path d="M-6 70l48-50h18l-48 50zM30 70l48-50h18l-48 50zM66 70l48-50h18l-48 50zM102 70l48-50h18l-48 50zM138 70l48-50h18l-48 50zM174 70l48-50h18l-48 50z" fill="var(--stripe)"/></g><path d="M22 22h128l24 23-24 23H22z" fill="none" stroke="var(--stripe)" stroke-width="2.5"/>',
  ),
  none: picture(
    `${NAILS}<path d="M84 124c20-2 30-14 46-30s30-22 62-24M92 124c30-2 44-6 60-14" fill="none" stroke="var(--control)" stroke-width="2" stroke-dasharray="2 7" stroke-linecap="round"/>`,
  ),
  unseen: picture(`${EMPTY_PLACE}${NAILS}`),
} as const;

function picture(boards: string): Html {
  return trusted(
    `<svg class="pic" width="208" height="132" viewBox="0 0 208 132" aria-hidden="true">${POST}${boards}</svg>`,
  );
}
