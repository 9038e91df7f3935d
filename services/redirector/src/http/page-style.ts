/** The look of the visitor pages, inside the page: one response, no other request. */
import { createHash } from 'node:crypto';

export const STYLE = `
:root{color-scheme:light dark;--bg:#f4f6f4;--surface:#fff;--line:#dce2de;--edge:#c2cbc6;--control:#7f8c85;--ink:#14201a;--ink2:#44524b;--ink3:#5b6962;--board:#00663f;--hover:#00512f;--accent:#00663f;--stripe:#d9590b;--wood:#8a958e}
@media(prefers-color-scheme:dark){:root{--bg:#101513;--surface:#181e1b;--line:#2d3732;--edge:#424e48;--control:#74827b;--ink:#e8eeea;--ink2:#b6c1ba;--ink3:#9aa69f;--board:#0b7a4c;--hover:#0a8250;--accent:#7fcfa6;--stripe:#f07a2c;--wood:#6c7d74}}
*{box-sizing:border-box;margin:0}html{font:17px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--ink);background:var(--bg);-webkit-text-size-adjust:100%}
body{min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;max-width:640px;margin:auto;padding:22px 24px}
header{display:flex;align-items:center;gap:9px;font-weight:600;font-size:15px;color:var(--ink2)}header svg{color:var(--board);flex:none}header bdi{overflow-wrap:anywhere}
main{margin:auto 0;padding:24px 0 32px}h1{font-size:30px;line-height:1.2;letter-spacing:-.015em;font-weight:700;text-wrap:balance;margin-bottom:14px;overflow-wrap:anywhere}
p{max-width:58ch;color:var(--ink2)}p+p{margin-top:10px}p b{color:var(--ink);font-weight:600}.pic{display:block;margin-bottom:22px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:20px 0 0;padding-top:16px;border-top:1px solid var(--line);font-size:15px}dt{color:var(--ink3)}dd{overflow-wrap:anywhere;min-width:0;color:var(--ink)}
bdi{unicode-bidi:isolate;direction:ltr}
.acts{display:flex;flex-wrap:wrap;gap:10px;margin:22px 0 18px}.btn{display:inline-flex;align-items:center;min-height:46px;padding:8px 20px;border:1px solid var(--board);border-radius:4px;background:var(--board);color:#fff;font-size:16px;font-weight:600;line-height:1.3;text-decoration:none}.btn:hover{background:var(--hover)}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:3px}
footer{padding-top:16px;border-top:1px solid var(--line);font-size:14px;color:var(--ink3)}footer ul{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;padding:0}footer a{color:var(--ink2);display:inline-block;padding:4px 0}footer [aria-current]{color:var(--ink3);text-decoration:none}
.sign{margin:20px 0 0;padding:26px 66px 26px 30px;background:var(--board);color:#fff;clip-path:polygon(0 0,calc(100% - 40px) 0,100% 50%,calc(100% - 40px) 100%,0 100%);border-radius:6px}
.sign strong{display:block;font-size:28px;line-height:1.2;font-weight:700;letter-spacing:-.01em;overflow-wrap:anywhere}.sign span{display:block;margin-top:8px;font-size:15px;line-height:1.45;overflow-wrap:anywhere}.post{width:14px;height:44px;margin-inline-start:56px;background:var(--wood)}
.clean{margin-top:20px}h1.small{font-size:18px;font-weight:600;letter-spacing:0;color:var(--ink2);margin:0}.hint{font-size:15px;color:var(--ink3)}
[dir=rtl] .pic{transform:scaleX(-1)}[dir=rtl] .sign{padding:26px 30px 26px 66px;clip-path:polygon(100% 0,40px 0,0 50%,40px 100%,100% 100%)}
@media(max-width:480px){body{padding:18px}h1{font-size:26px}.sign{padding:22px 48px 22px 20px}.sign strong{font-size:23px}main{padding:28px 0 36px}.btn{width:100%;justify-content:center}}
@media(forced-colors:active){.sign,.btn{border:2px solid}}@media print{footer,.acts{display:none}}`;

const hash = createHash('sha256').update(STYLE).digest('base64');

/** No script, no other request, no frame; this style and no other. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

export const MARK =
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M10.7 1h2.5v2.5h4.25L22 7.2 17.5 11h-4.25v1.8h1.75V19.3H13.25V23h-2.5v-3.7H6.3L2 16.05l4.3-3.25h4.45V11H4V3.5h6.75z"/></svg>';

const POST =
  '<path d="M0 124h208" stroke="var(--wood)" stroke-width="2"/><rect x="60" y="4" width="12" height="120" fill="var(--wood)"/>';
const NAILS = '<circle cx="66" cy="29" r="2.5" fill="var(--bg)"/><circle cx="66" cy="45" r="2.5" fill="var(--bg)"/>';
const EMPTY_PLACE =
  '<path d="M38 20h94l18 17-18 17H38z" fill="none" stroke="var(--control)" stroke-width="2" stroke-dasharray="5 5"/>';

/** The fingerpost tells the state: board up, taken down, barred, not there, not to be seen. */
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

function picture(boards: string): string {
  return `<svg class="pic" width="208" height="132" viewBox="0 0 208 132" aria-hidden="true">${POST}${boards}</svg>`;
}
