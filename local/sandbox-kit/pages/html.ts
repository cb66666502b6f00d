/** Text that is already HTML. Only the tag below creates it, so every other text is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

/** Escapes every part that is not `Html`. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(fixed.reduce((before, text, i) => `${before}${render(parts[i - 1])}${text}`));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return part ? part.map(render).join('') : '';
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c] ?? c);

export interface Section<Row> {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** How to get a first row. */
  readonly whenEmpty: string;
  /** A cell of each, by its title. */
  readonly columns: Readonly<Record<string, (row: Row) => Html | string | number | null>>;
  /** Columns whose digits line up. */
  readonly numbers?: readonly string[];
  /** Lets other pages link to a row. */
  readonly rowId?: (row: Row) => string;
}

/** The page is rendered every two seconds, so it must stay small. */
const maxRows = 200;

/** Of a list, the others unfold: on a telephone each is a card. */
const rowsAtFirst = 5;

/** Latest first. */
export function renderSection<Row>(section: Section<Row>): Html {
  const { id, title, rows, whenEmpty } = section;
  const shown = rows.slice(-maxRows).reverse();
  return renderList(id, title, shown, rows.length, whenEmpty, '/sandbox/state', (some) =>
    renderTable(section, some),
  );
}

/** A list with its count, and where the rest of it is. */
export function renderList<Row>(
  id: string,
  title: string,
  shown: readonly Row[],
  all: number,
  whenEmpty: Html | string,
  rest: string,
  draw: (some: readonly Row[]) => Html | readonly Html[],
): Html {
  const heading = html`<h2>${title} <span class="count">${all}</span></h2>`;
  if (shown.length === 0)
    return html`<section id="${id}" class="none-yet">${heading} <p class="empty">${whenEmpty}</p></section>\n`;
  const older = shown.slice(rowsAtFirst);
  return html`<details id="${id}" class="fold" open><summary>${heading}</summary>
${draw(shown.slice(0, rowsAtFirst))}
${
  older.length > 0 &&
  html`<details id="${id}-older"><summary>${older.length} more</summary>${draw(older)}</details>`
}
${
  all > shown.length &&
  html`<p class="note">The latest ${shown.length}; all are at <a href="${rest}">${rest}</a>.</p>`
}
</details>
`;
}

function renderTable<Row>(section: Section<Row>, rows: readonly Row[]): Html {
  const { numbers = [], rowId } = section;
  const columns = Object.entries(section.columns);
  const cellClass = (name: string) => (numbers.includes(name) ? 'number' : 'text');
  return html`<div class="scroll"><table>
<thead><tr>${columns.map(([name]) => (name === '' ? html`<td></td>` : html`<th class="${cellClass(name)}">${name}</th>`))}</tr></thead>
<tbody>
${rows.map(
  (row) =>
    html`<tr${rowId && html` id="${rowId(row)}"`}>${columns.map(([name, cell]) => html`<td class="${cellClass(name)}" data-name="${name}"><div>${cell(row) ?? html`<span class="none">–</span>`}</div></td>`)}</tr>\n`,
)}</tbody>
</table></div>`;
}

export type Tone = 'good' | 'bad' | 'waiting' | 'plain';

export const badge = (tone: Tone, text: string): Html =>
  html`<span class="badge ${tone}">${text}</span>`;

/** Shows the whole text on hover, because an id or a title can be of any length. */
export const brief = (text: string | null): Html | null =>
  text === null ? null : html`<span class="brief" title="${text}">${text}</span>`;

export const moment = (iso: string | null | undefined): Html | null =>
  iso ? html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>` : null;

const amounts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
export const amount = (value: number | null): string | null =>
  value === null ? null : amounts.format(value).replace('-', '−');
