import { Fragment } from 'preact';
import type { Cell as CellValue, TableBlock } from '../../terminal/document.ts';
import { LineLink, Suggestions } from './suggestion.tsx';
import { agoText, localText, numberText } from './words.ts';

export function Table({ title, columns, rows, empty }: TableBlock) {
  if (rows.length === 0) return empty === undefined ? null : <p class="soft">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <div class="scrolls" tabIndex={0}>
      <table aria-label={title}>
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
              <tr
                class={[row.tone, (row.detail || row.next) && 'has-detail']
                  .filter(Boolean)
                  .join(' ')}
              >
                {row.cells.map((cell, at) => (
                  <td class={columns[at]?.align} key={`${at}`}>
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
