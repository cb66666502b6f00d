/** The same thing as several sides have it, with the differences marked. */
export function Sides({
  label,
  columns,
  rows,
  differs,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly field: string;
    readonly cells: readonly string[];
    readonly differs: boolean;
  }[];
  /** The mark of a row that differs. */
  readonly differs: string;
}) {
  return (
    <div class="scrolls">
      <table class="sides" aria-label={label}>
        <thead>
          <tr>
            <td />
            {columns.map((one) => (
              <th scope="col" key={one}>
                {one}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.field} class={row.differs ? 'differs' : undefined}>
              <th scope="row">{row.field}</th>
              {row.cells.map((cell, index) => (
                <td key={columns[index]}>{cell}</td>
              ))}
              <td>{row.differs && <strong class="bad">{differs}</strong>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
