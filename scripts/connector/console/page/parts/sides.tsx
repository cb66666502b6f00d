import { Table } from './table.tsx';

interface Side {
  readonly field: string;
  readonly cells: readonly string[];
  readonly differs: boolean;
}

/** The same thing as several sides have it, with the differences marked. */
export function Sides({
  label,
  columns,
  rows,
  differs,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Side[];
  /** The mark of a row that differs. */
  readonly differs: string;
}) {
  return (
    <Table
      {...{ label, rows, class: 'sides' }}
      keyOf={({ field }) => field}
      classOf={(row) => (row.differs ? 'differs' : undefined)}
      columns={[
        { title: '', kind: 'row', cell: ({ field }) => field },
        ...columns.map((title, index) => ({ title, cell: ({ cells }: Side) => cells[index] })),
        { title: '', cell: (row) => row.differs && <strong class="bad">{differs}</strong> },
      ]}
    />
  );
}
