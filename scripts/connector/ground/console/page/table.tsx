import { Fragment } from 'preact';
import type { Cell as CellValue, Row, TableBlock } from '../../terminal/document.ts';
import { Copy, LineLink, Suggestions } from './suggestion.tsx';
import { agoText, localText, numberText, timeText } from './words.ts';

export function Table({ title, columns, rows, empty }: TableBlock) {
  if (rows.length === 0) return empty === undefined ? null : <p class="soft">{empty}</p>;
  return (
    <div class="scrolls">
      <table class={kindOf({ rows, columns })} aria-label={title}>
        <thead>
          <tr>
            {columns.map(({ title: name, align }) =>
              name === '' ? (
                <td key={name} />
              ) : (
                <th scope="col" class={align} key={name}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={index}>
              <tr class={classOf(row)}>
                {row.cells.map((cell, at) => (
                  <td class={columns[at]?.align} data-title={columns[at]?.title} key={`${at}`}>
                    <Cell of={cell} />
                  </td>
                ))}
              </tr>
              {(row.detail || row.next) && (
                <tr class={`detail ${row.tone ?? ''}`}>
                  <td colSpan={columns.length}>
                    {row.detail}
                    <Suggestions of={row.next ?? []} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = ({ tone, isSum, detail, next }: Row) =>
  [tone, isSum && 'sum', (detail || next) && 'has-detail'].filter(Boolean).join(' ');

/** Of characters, on the screen of a telephone. */
const NARROW = 46;
const GAP = 3;

/**
 * Of a table that does not fit a telephone, each row becomes a list of its cells with the names of their columns.
 * One of figures is not wider than they need: the eye must find their row.
 */
function kindOf({ rows, columns }: Pick<TableBlock, 'rows' | 'columns'>): string | undefined {
  const widths = columns.map(({ title }, at) => {
    const texts = rows.map(({ cells }) => plainText(cells[at] ?? ''));
    // What a row is about wraps, as titles do.
    const parts = [title, ...(at === 0 ? texts : [])].flatMap((one) => one.split(' '));
    return Math.max(...(at === 0 ? parts : [...parts, ...texts]).map(({ length }) => length));
  });
  const isWide = widths.reduce((sum, one) => sum + (one && one + GAP), 0) > NARROW;
  const isFigures = columns.slice(1).every(({ align }) => align === 'right');
  // Two columns fit: the text of one wraps.
  if (isWide && widths.length > 2) return 'stacks';
  return isFigures ? 'figures' : undefined;
}

function plainText(cell: CellValue): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return numberText(cell);
  return 'at' in cell ? agoText(cell.at) : cell.text;
}

/** Of an order, a message, a redemption: somebody may want it elsewhere. */
const ID = /^(?!\d{4}-\d\d-\d\d)(?=.*\d)[\w-]{8,}$/;

/** Longer texts are coloured, not framed. */
const MOST_IN_BADGE = 28;

interface CellProps {
  readonly of: CellValue;
  /** Beside a line of this moment, others are shown as clocks do, and not by how long ago they were. */
  readonly near?: string | undefined;
}

export function Cell({ of: cell, near }: CellProps) {
  const words = plainText(cell);
  if (typeof cell === 'object' && 'at' in cell) {
    return (
      <time dateTime={cell.at} title={localText(cell.at)}>
        {near === undefined ? words : timeText(cell.at, near)}
      </time>
    );
  }
  const { tone, opens } = typeof cell === 'object' ? cell : {};
  const isBadge = tone && tone !== 'soft' && words.length <= MOST_IN_BADGE;
  const kind = [tone, isBadge && 'badge', cell === 0 && 'zero'].filter(Boolean).join(' ');
  if (!opens) {
    return (
      <span class={kind}>
        {words} {ID.test(words) && <Copy text={words} what={words} />}
      </span>
    );
  }
  return (
    <LineLink line={opens} class={kind === '' ? 'link' : `link ${kind}`}>
      {words}
    </LineLink>
  );
}
