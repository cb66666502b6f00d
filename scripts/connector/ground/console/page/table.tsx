import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Cell as CellValue, Row, Suggestion, TableBlock } from '../../terminal/document.ts';
import { isOffered } from './place.ts';
import { LineLink, Suggestions } from './suggestion.tsx';
import { agoText, localText, numberText } from './words.ts';

/** A table of a document: with boxes to choose rows where something can be done with them. */
export function Table(block: TableBlock) {
  const { title, columns, rows, empty, choose } = inColumns(block);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const actions = choose?.actions.filter(({ line }) => isOffered(line.command)) ?? [];
  const keys = actions.length === 0 ? [] : rows.flatMap(({ key }) => key ?? []);
  // A row that was chosen may be gone after the next answer.
  const those = chosen.filter((one) => keys.includes(one));
  const toggle = (key: string) =>
    setChosen(those.includes(key) ? those.filter((one) => one !== key) : [...those, key]);
  const withKeys = (one: Suggestion): Suggestion => {
    const options = { ...one.line.options, [choose?.option ?? '']: those };
    return { ...one, line: { ...one.line, options } };
  };
  if (rows.length === 0) return empty === undefined ? null : <p class="soft">{empty}</p>;
  return (
    <>
      {keys.length > 0 && (
        <div class="chosen">
          <label>
            <input
              type="checkbox"
              checked={those.length === keys.length}
              onChange={({ currentTarget }) => setChosen(currentTarget.checked ? keys : [])}
            />{' '}
            {those.length === 0 ? 'Choose all' : `${numberText(those.length)} chosen`}
          </label>
          {those.length > 0 && <Suggestions of={actions.map(withKeys)} />}
        </div>
      )}
      <div class="scrolls">
        <table class={onTelephone({ rows, columns })} aria-label={title}>
          <thead>
            <tr>
              {keys.length > 0 && <td />}
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
              <Fragment key={row.key ?? index}>
                <tr class={classOf(row)}>
                  {keys.length > 0 && (
                    <td class="choice">
                      {row.key !== undefined && (
                        <input
                          type="checkbox"
                          aria-label={`Choose ${plainText(row.cells[0] ?? '')}`}
                          checked={those.includes(row.key)}
                          onChange={() => toggle(row.key ?? '')}
                        />
                      )}
                    </td>
                  )}
                  {row.cells.map((cell, at) => (
                    <td class={columns[at]?.align} data-title={columns[at]?.title} key={`${at}`}>
                      <Cell of={cell} />
                    </td>
                  ))}
                </tr>
                {(row.detail || row.next) && (
                  <tr class={`detail ${row.tone ?? ''}`}>
                    {keys.length > 0 && <td />}
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
    </>
  );
}

const NUMBER = /^[−-]?\d[\d.,]*( (ms|s|min|h|d|%))?$/;
const NONE: ReadonlySet<string> = new Set(['', '-', '–', 'none', 'not known']);

/**
 * At a terminal a column names what to choose; here boxes do. A column that says nothing takes no room, and numbers
 * stand below each other.
 */
function inColumns(block: TableBlock): TableBlock {
  const { columns, rows, choose } = block;
  const textsAt = (at: number) => rows.map(({ cells }) => plainText(cells[at] ?? ''));
  const isShown = (_: unknown, at: number) => {
    if (choose && rows.every(({ cells, key }) => cells[at] === key)) return false;
    return columns[at]?.title !== '' || textsAt(at).some((text) => text !== '');
  };
  const aligned = columns.map((column, at) => {
    const texts = textsAt(at).filter((text) => !NONE.has(text));
    const isNumeric = texts.length > 0 && texts.every((text) => NUMBER.test(text));
    return isNumeric ? { ...column, align: 'right' as const } : column;
  });
  return {
    ...block,
    columns: aligned.filter(isShown),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter(isShown) })),
  };
}

const classOf = ({ tone, detail, next }: Row) =>
  [tone, (detail || next) && 'has-detail'].filter(Boolean).join(' ');

/** Of characters, on the screen of a telephone. */
const NARROW = 46;
const GAP = 3;
/** That stand beside each other there. */
const MOST_SIDES = 3;

/**
 * How a table that does not fit a telephone is drawn there. What is compared stays beside each other, below the name of
 * its row; of any other table, each row becomes a list of its cells with the names of their columns.
 */
function onTelephone({ rows, columns }: Pick<TableBlock, 'rows' | 'columns'>): string | undefined {
  const widths = columns.map(({ title }, at) => {
    const words = title.split(' ').map(({ length }) => length);
    return Math.max(...words, ...rows.map(({ cells }) => plainText(cells[at] ?? '').length));
  });
  if (widths.reduce((sum, one) => sum + one + GAP, 0) <= NARROW) return undefined;
  return columns[0]?.title === '' && columns.length <= MOST_SIDES + 1 ? 'sides' : 'stacks';
}

function plainText(cell: CellValue): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return numberText(cell);
  return 'at' in cell ? agoText(cell.at) : cell.text;
}

/** Longer texts are coloured, not framed. */
const MOST_IN_BADGE = 28;

export function Cell({ of: cell }: { readonly of: CellValue }) {
  const words = plainText(cell);
  if (typeof cell !== 'object') return <>{words}</>;
  if ('at' in cell)
    return <time {...{ dateTime: cell.at, title: localText(cell.at) }}>{words}</time>;
  const isBadge = cell.tone && cell.tone !== 'soft' && words.length <= MOST_IN_BADGE;
  const kind = [cell.tone, isBadge && 'badge'].filter(Boolean).join(' ');
  if (!cell.opens) return <span class={kind}>{words}</span>;
  return (
    <LineLink line={cell.opens} class={kind === '' ? 'link' : `link ${kind}`}>
      {words}
    </LineLink>
  );
}
