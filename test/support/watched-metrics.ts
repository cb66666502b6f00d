import type { Template } from 'aws-cdk-lib/assertions';

type Line = Readonly<Record<string, unknown>>;

export interface MetricLine {
  readonly metric: string;
  readonly values: readonly number[];
  readonly dimensions: Readonly<Record<string, string>>;
  /** Each set of dimensions is a metric of its own. */
  readonly keptBy: readonly Readonly<Record<string, string>>[];
}

/**
 * Reads a line of metrics as CloudWatch does ("Specification: embedded metric format"). Throws for the
 * first fault, because CloudWatch would drop the metrics silently.
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

/** A metric as an alarm or a graph names it. */
export interface NamedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export interface NamedAlarm {
  readonly name: string;
  readonly description: string;
  readonly metrics: readonly (NamedMetric & { readonly statistic: string })[];
  readonly properties: Readonly<Record<string, unknown>>;
}

interface AlarmMetric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface AlarmQuery {
  readonly MetricStat?: { readonly Metric: AlarmMetric; readonly Stat: string };
}

interface OneMetric extends AlarmMetric {
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
}

/** Every alarm of the template, with the metrics that it is billed for. */
export function alarmsOf(template: Template): readonly NamedAlarm[] {
  return Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => ({
    name: asText(Properties.AlarmName),
    description: asText(Properties.AlarmDescription),
    metrics: metricsOfAlarm(Properties),
    properties: Properties,
  }));
}

function metricsOfAlarm(properties: Readonly<Record<string, unknown>>): NamedAlarm['metrics'] {
  const queries = properties.Metrics as readonly AlarmQuery[] | undefined;
  const one = properties as unknown as OneMetric;
  const metrics = queries
    ? queries.flatMap(({ MetricStat }) => MetricStat ?? [])
    : [{ Metric: one, Stat: one.Statistic ?? one.ExtendedStatistic ?? '' }];
  return metrics.map(({ Metric: { Namespace, MetricName, Dimensions = [] }, Stat }) => ({
    namespace: Namespace,
    name: MetricName,
    dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, asText(Value)])),
    statistic: Stat,
  }));
}

/** A value for each period, the newest last; undefined means no data. */
export type Series = readonly (number | undefined)[];

interface AlarmSettings {
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly TreatMissingData: string;
  readonly Metrics?: readonly { readonly Id: string; readonly Expression?: string }[];
}

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

/** Whether a period without data is breaching. */
const MISSING_DATA: Readonly<Record<string, boolean>> = { breaching: true, notBreaching: false };

/**
 * Whether an alarm rings after these values ("Evaluating an alarm"). One that adds up several metrics gets
 * them all in the last of them: the sum is checked to be nothing else.
 */
export function rings({ properties }: NamedAlarm, series: Series): boolean {
  const settings = properties as unknown as AlarmSettings;
  const expression = settings.Metrics?.find((one) => one.Expression)?.Expression;
  if (expression && !/^FILL\(part0, 0\)( \+ FILL\(part\d, 0\))*$/.test(expression)) {
    throw new Error(`not a sum: ${expression}`);
  }
  const { Threshold: threshold, EvaluationPeriods: periods } = settings;
  const last = [...Array<undefined>(periods), ...series].slice(-periods);
  const compare = COMPARISONS[settings.ComparisonOperator];
  const missing = MISSING_DATA[settings.TreatMissingData];
  if (!compare || missing === undefined) throw new Error(`unknown: ${JSON.stringify(settings)}`);
  const breaching = last.filter((value) =>
    value === undefined ? missing : compare(value, threshold),
  );
  return breaching.length >= (settings.DatapointsToAlarm ?? periods);
}

/** Text of a template, with `{Name}` or `{Name.Attribute}` for what CloudFormation fills in. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'] as [string, readonly unknown[]];
    return parts.map(asText).join(separator);
  }
  if ('Ref' in value) return `{${value.Ref}}`;
  if ('Fn::GetAtt' in value) return `{${(value['Fn::GetAtt'] as string[]).join('.')}}`;
  throw new Error(`not a text: ${JSON.stringify(value)}`);
}

export function keyOf({ namespace, name, dimensions }: NamedMetric): string {
  const sorted = Object.entries(dimensions).toSorted(([a], [b]) => a.localeCompare(b));
  return `${namespace} ${name} ${sorted.map((pair) => pair.join('=')).join(' ')}`;
}
