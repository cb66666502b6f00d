import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { ProductRow } from '../../store-sandbox/model/rows.ts';

/** Background, body, shade and detail. */
type Colours = readonly [back: string, body: string, shade: string, detail: string];

const palettes: readonly [Colours, ...Colours[]] = [
  ['#e9efe8', '#7d9d8c', '#5f8272', '#f6f4ee'],
  ['#f3e9e0', '#c98b6b', '#a96c4e', '#fdf7f0'],
  ['#e6ecf1', '#6f8ba4', '#526d86', '#f4f7fa'],
  ['#f2ecdb', '#c9a95b', '#a58842', '#fffaf0'],
  ['#efe6ec', '#a3809a', '#84627b', '#faf5f9'],
];

const drawings: readonly {
  readonly words: RegExp;
  readonly palette: number;
  readonly draw: (colours: Colours) => Html;
}[] = [
  { words: /shirt/i, palette: 0, draw: drawShirt },
  { words: /sock/i, palette: 1, draw: drawSocks },
  { words: /mug|cup/i, palette: 2, draw: drawMug },
  { words: /notebook|stationery|book/i, palette: 3, draw: drawNotebook },
  { words: /coat|jacket/i, palette: 4, draw: drawCoat },
];

/** Drawn from the product's own words; a product of any other kind is a parcel in a colour of its own. */
export function renderPicture({ id, title, productType, category }: ProductRow): Html {
  const words = `${title} ${productType} ${category?.fullName ?? ''}`;
  const known = drawings.find((one) => one.words.test(words));
  const palette = known?.palette ?? Number(id.slice(-6)) % palettes.length;
  const colours = palettes[palette] ?? palettes[0];
  return html`<svg class="picture" viewBox="0 0 160 160" aria-hidden="true" focusable="false"><rect width="160" height="160" fill="${colours[0]}"/><ellipse cx="80" cy="138" rx="46" ry="5" fill="${colours[2]}" opacity=".22"/>${(known?.draw ?? drawParcel)(colours)}</svg>`;
}

function drawShirt([, body, shade, detail]: Colours): Html {
  return html`<path d="M58 34 30 48l-8 30 18 6 4-12v60h72V72l4 12 18-6-8-30-28-14c-5 10-39 10-44 0z" fill="${body}"/><path d="M44 72v60h10V62zM116 72v60h-10V62z" fill="${shade}" opacity=".45"/><path d="m58 34 22 20 22-20-8-4c-6 6-22 6-28 0z" fill="${detail}"/><path d="M80 54v78" stroke="${shade}" stroke-width="2"/><g fill="${detail}"><circle cx="80" cy="68" r="2.4"/><circle cx="80" cy="86" r="2.4"/><circle cx="80" cy="104" r="2.4"/></g>`;
}

function drawSocks([, body, shade, detail]: Colours): Html {
  const sock = html`<path d="M0 0h28v50c0 6 3 9 8 13l12 9c9 7 4 20-7 20-6 0-11-3-16-7L6 70C2 66 0 62 0 56z" fill="${body}"/><path d="M0 0h28v14H0z" fill="${detail}"/><path d="M0 5h28M0 10h28" stroke="${shade}" stroke-width="1.5" opacity=".5"/><path d="M33 86c4-8 10-12 20-12 2 9-3 18-12 18-3 0-6-1-8-6z" fill="${shade}"/><path d="M0 26h28M0 34h28" stroke="${detail}" stroke-width="4"/>`;
  return html`<g transform="translate(34 36)">${sock}</g><g transform="translate(76 42)">${sock}</g>`;
}

function drawMug([, body, shade, detail]: Colours): Html {
  return html`<path d="M108 66h10c12 0 18 8 18 20s-8 22-22 22h-8v-9h7c9 0 14-5 14-13s-4-11-10-11h-9z" fill="${shade}"/><path d="M40 50h70v70c0 9-7 16-16 16H56c-9 0-16-7-16-16z" fill="${body}"/><path d="M40 50h14v86c-8 0-14-7-14-16z" fill="${shade}" opacity=".35"/><ellipse cx="75" cy="50" rx="35" ry="7" fill="${detail}"/><ellipse cx="75" cy="51" rx="29" ry="4.6" fill="${shade}"/><path d="M62 36c-5-6 5-9 0-16M78 38c-5-6 5-9 0-16M92 36c-5-6 5-9 0-16" stroke="${body}" stroke-width="3" fill="none" stroke-linecap="round" opacity=".55"/>`;
}

function drawNotebook([, body, shade, detail]: Colours): Html {
  return html`<rect x="46" y="32" width="74" height="104" rx="6" fill="${shade}"/><rect x="42" y="28" width="74" height="104" rx="6" fill="${body}"/><path d="M42 34a6 6 0 0 1 6-6h8v104h-8a6 6 0 0 1-6-6z" fill="${shade}"/><rect x="68" y="50" width="36" height="24" rx="3" fill="${detail}"/><path d="M74 59h24M74 66h16" stroke="${shade}" stroke-width="2.5" stroke-linecap="round"/><path d="M100 28v38l-5-5-5 5V28z" fill="${detail}" opacity=".8"/>`;
}

function drawCoat([, body, shade, detail]: Colours): Html {
  return html`<path d="M60 26 36 40 24 104l16 4 6-34v62h68V74l6 34 16-4-12-64-24-14z" fill="${body}"/><path d="m60 26 20 34 20-34-8-3H68z" fill="${detail}"/><path d="M60 26 80 60 66 76 52 32zM100 26 80 60l14 16 14-44z" fill="${shade}"/><path d="M80 60v76" stroke="${shade}" stroke-width="2"/><g fill="${detail}"><circle cx="88" cy="86" r="3"/><circle cx="88" cy="104" r="3"/><circle cx="88" cy="122" r="3"/></g>`;
}

function drawParcel([, body, shade, detail]: Colours): Html {
  return html`<path d="m80 34 48 22v56l-48 24-48-24V56z" fill="${body}"/><path d="M80 80v56l48-24V56z" fill="${shade}"/><path d="m32 56 48 24 48-24-48-22z" fill="${detail}" opacity=".55"/><path d="m56 45 48 24v22l-12 6V75L44 50z" fill="${detail}"/>`;
}
