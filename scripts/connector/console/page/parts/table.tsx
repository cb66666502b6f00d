import { type ComponentChildren, Fragment } from 'preact';

export interface Column<Row> {
  readonly title: string;
  /** `row`: it names its row. The others are classes of the style sheet. */
  readonly kind?: 'row' | 'number' | 'foreign';
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  /** False: a column that is not shown here. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** For readers who cannot see it, where no caption says it. */
  readonly label?: string;
  readonly caption?: ComponentChildren;
  readonly class?: string;
  readonly classOf?: (row: Row) => string | undefined;
  /** What stands below a row, over the whole width. */
  readonly below?: (row: Row) => ComponentChildren;
}

/** Wider than the screen, it scrolls by itself. */
export function Table<Row>(props: TableProps<Row>) {
  const { rows, keyOf, label, caption, classOf, below } = props;
  const columns = props.columns.filter((one) => one !== false);
  return (
    <div class="scrolls">
      <table class={props.class} aria-label={label}>
        {caption}
        <thead>
          <tr>
            {columns.map(({ title, kind }, index) =>
              title === '' ? (
                <td key={`${index}`} />
              ) : (
                <th scope="col" class={kind} key={title}>
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const more = below?.(row);
            return (
              <Fragment key={keyOf(row)}>
                <tr class={classOf?.(row)}>
                  {columns.map(({ title, kind, cell }) =>
                    kind === 'row' ? (
                      <th scope="row" key={title}>
                        {cell(row)}
                      </th>
                    ) : (
                      <td class={kind} key={title}>
                        {cell(row)}
                      </td>
                    ),
                  )}
                </tr>
                {more && (
                  <tr>
                    <td colSpan={columns.length}>{more}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

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
