import { Ago } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { hrefOf } from '../../router.ts';
import { numberText } from '../../words.ts';
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
  return (
    <Table
      {...{ class: 'stacks', rows: groups, caption: <caption>By cause</caption> }}
      keyOf={({ reason, code, why }) => `${reason} ${code} ${why}`}
      columns={[
        { title: 'Letters', kind: 'number', cell: ({ count }) => numberText(count) },
        { title: 'Cause', cell: (group) => <GroupCause {...{ group, filter }} /> },
        { title: 'Oldest', cell: ({ oldest }) => <Ago at={oldest} /> },
        { title: 'Newest', cell: ({ newest }) => <Ago at={newest} /> },
        {
          title: 'Example',
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
      <div class="soft">{why}</div>
      {advice !== undefined && <div>{advice}</div>}
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
      {strings.reasons[reason]}
      {code !== undefined && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
    </>
  );
}
