interface Choices {
  readonly name: string;
  readonly label: string;
  /** Values, or values with their names. */
  readonly of: readonly string[] | Readonly<Record<string, string>>;
  /** The name of the empty value; without it, one must be chosen. */
  readonly any?: string;
  readonly chosen?: string | undefined;
}

export function Choice({ name, label, of, any, chosen = '' }: Choices) {
  const named = Array.isArray(of) ? of.map((one) => [one, one] as const) : Object.entries(of);
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {any !== undefined && <option value="">{any}</option>}
        {named.map(([value, shown]) => (
          <option value={value} key={value} selected={value === chosen}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What a form holds, as options of a command: without empty fields. */
export function optionsIn(form: HTMLFormElement): Record<string, string> {
  const given = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
