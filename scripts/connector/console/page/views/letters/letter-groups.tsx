import { Ago } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { hrefOf } from '../../router.ts';
import { numberText, words } from '../../words.ts';
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
    <Table
      {...{ class: 'stacks', rows: groups, caption: <caption>{texts.byCause}</caption> }}
      keyOf={({ reason, code, why }) => `${reason} ${code} ${why}`}
      columns={[
        { title: texts.many, kind: 'number', cell: ({ count }) => numberText(count) },
        { title: texts.cause, cell: (group) => <GroupCause {...{ group, filter }} /> },
        { title: texts.oldest, cell: ({ oldest }) => <Ago at={oldest} /> },
        { title: texts.newest, cell: ({ newest }) => <Ago at={newest} /> },
        {
          title: texts.example,
          cell: ({ example: { letterId, kind, id = letterId } }) => (
            <a href={hrefOf('letters', [letterId])}>
              {kind} {id}
            </a>
          ),
        },
      ]}
    />
  );
}

function GroupCause({ group, filter }: { readonly group: Group; readonly filter: Filter }) {
  const { reason, code, why, advice } = group;
  const only = { ...filter, reason, ...(code !== undefined && { code }), text: why };
  return (
    <>
      <a href={hrefOf('letters', [], only)}>
        <Cause reason={reason} code={code} />
      </a>
      <div class="soft" lang="en">
        {why}
      </div>
      {advice !== undefined && <div lang="en">{advice}</div>}
    </>
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
