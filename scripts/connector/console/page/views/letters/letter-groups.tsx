import { hrefOf } from '../../router.ts';
import { agoText, momentText, numberText, words } from '../../words.ts';
import type { Group } from './documents.ts';
import type { Filter } from './filter.ts';
import { strings } from './strings.ts';

/** Letters by their cause, each a filter for the list. */
export function LetterGroups({
  groups,
  filter,
}: {
  readonly groups: readonly Group[];
  readonly filter: Filter;
}) {
  const texts = words(strings);
  return (
    <div class="scrolls">
      <table class="stacks">
        <caption>{texts.byCause}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {texts.many}
            </th>
            <th scope="col">{texts.cause}</th>
            <th scope="col">{texts.oldest}</th>
            <th scope="col">{texts.newest}</th>
            <th scope="col">{texts.example}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <GroupRow key={`${group.reason} ${group.code} ${group.why}`} {...{ group, filter }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function GroupRow({ group, filter }: { readonly group: Group; readonly filter: Filter }) {
  const { count, reason, code, why, advice, oldest, newest, example } = group;
  const only = { ...filter, reason, ...(code !== undefined && { code }), text: why };
  const id = example.id ?? example.letterId;
  return (
    <tr>
      <td class="number">{numberText(count)}</td>
      <td>
        <a href={hrefOf('letters', [], only)}>
          <Cause reason={reason} code={code} />
        </a>
        <div class="soft" lang="en">
          {why}
        </div>
        {advice !== undefined && <div lang="en">{advice}</div>}
      </td>
      <td title={momentText(oldest)}>{agoText(oldest)}</td>
      <td title={momentText(newest)}>{agoText(newest)}</td>
      <td>
        <a href={hrefOf('letters', [example.letterId])}>
          {example.kind} {id}
        </a>
      </td>
    </tr>
  );
}

export function Cause({
  reason,
  code,
}: {
  readonly reason: Group['reason'];
  readonly code: string | undefined;
}) {
  return (
    <>
      {words(strings).reasons[reason]}
      {code !== undefined && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
    </>
  );
}
