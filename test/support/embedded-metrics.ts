type Line = Readonly<Record<string, unknown>>;

export interface MetricLine {
  readonly metric: string;
  readonly values: readonly number[];
  readonly dimensions: Readonly<Record<string, string>>;
  /** Each set of dimensions is a metric of its own. */
  readonly keptBy: readonly Readonly<Record<string, string>>[];
}

/**
 * Reads a line of metrics as CloudWatch does ("Specification: embedded metric format"): throws with
 * the first fault, because CloudWatch would drop the figures without a word.
 */
export function readMetricLine(line: Line): readonly MetricLine[] {
  const head = objectAt(line, '_aws');
  if (!Number.isSafeInteger(head.Timestamp)) throw new Error('Timestamp is not a number');
  return listAt(head, 'CloudWatchMetrics').flatMap((directive) => {
    if (typeof directive.Namespace !== 'string' || directive.Namespace === '') {
      throw new Error('Namespace is missing');
    }
    const sets = directive.Dimensions;
    if (!Array.isArray(sets) || sets.length === 0) throw new Error('no set of dimensions');
    const names = sets.flat().map(String);
    for (const set of sets) if (!isDimensionSet(set)) throw new Error('a set of dimensions is bad');
    const withValues = (all: readonly string[]) =>
      Object.fromEntries(all.map((name) => [name, dimensionAt(line, name)]));
    const dimensions = withValues(names);
    const keptBy = sets.map((set) => withValues(set));
    return listAt(directive, 'Metrics').map(({ Name: name, Unit: unit }) => {
      if (typeof name !== 'string' || name === '') throw new Error('a metric has no name');
      if (unit !== 'Count' && unit !== 'Milliseconds') throw new Error(`${name} has no unit`);
      if (names.includes(name)) throw new Error(`${name} is a dimension too`);
      return { metric: name, values: valuesAt(line, name), dimensions, keptBy };
    });
  });
}

const isDimensionSet = (set: unknown): boolean =>
  Array.isArray(set) && set.length <= 30 && new Set(set).size === set.length;

function objectAt(line: Line, name: string): Line {
  const value = line[name];
  if (typeof value !== 'object' || value === null) throw new Error(`${name} is not an object`);
  return value as Line;
}

function listAt(line: Line, name: string): readonly Line[] {
  const value = line[name];
  if (!Array.isArray(value) || value.length === 0) throw new Error(`${name} is not a list`);
  return value;
}

function dimensionAt(line: Line, name: string): string {
  const value = line[name];
  if (typeof value === 'string' && /^[\x20-\x7e]{1,1024}$/.test(value)) return value;
  throw new Error(`the dimension ${name} has no usable value`);
}

function valuesAt(line: Line, name: string): readonly number[] {
  const values = [line[name]].flat();
  const good = values.every((value) => typeof value === 'number' && Number.isFinite(value));
  if (!good || values.length === 0 || values.length > 100) throw new Error(`${name} has no value`);
  return values as number[];
}
