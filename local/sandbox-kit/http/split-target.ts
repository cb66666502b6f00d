export interface Target {
  /** As it was sent, with its escapes. */
  readonly rawPath: string;
  readonly query: Readonly<Record<string, string>>;
}

export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { rawPath: target, query: {} };
  return {
    rawPath: target.slice(0, mark),
    // Takes any text. Of a name given twice the last counts.
    query: Object.fromEntries(new URLSearchParams(target.slice(mark + 1))),
  };
}
