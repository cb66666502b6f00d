import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The table of documented fields, as it stands in test/fixtures/documented-answers.yaml. */
interface Table {
  readonly envelopes: Readonly<Record<string, Shape>>;
  readonly operations: Readonly<Record<string, readonly [envelope: string, payload: string]>>;
  readonly event: string;
  readonly 'not-offered': Readonly<Record<string, string>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

type Shape = Readonly<Record<string, string | Exception>>;

interface Exception {
  readonly type: string;
  readonly shown?: false;
  readonly why?: string;
  readonly inferred?: string;
}

export interface DocumentedField {
  readonly type: string;
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** Why the sandbox shows no value for it. */
  readonly notShown: string | undefined;
  readonly isInferred: boolean;
}

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  truth: (value) => typeof value === 'boolean',
  date: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value),
  anything: () => true,
};

const table = parse(readFileSync('test/fixtures/documented-answers.yaml', 'utf8')) as Table;

export const documentedOperations = Object.keys(table.operations);
export const notOffered = Object.keys(table['not-offered']);
/** Of envelope A, which others move to. */
export const envelopeFields = Object.keys(table.envelopes.A ?? {});

export const isBare = (operation: string) =>
  ['none', 'list'].includes(table.operations[operation]?.[0] ?? '');

/** By path, as `Result.Customer.Id` or `Items[].Title`, with the fields inside of those that are not shown. */
export function fieldsOf(operation: string): ReadonlyMap<string, DocumentedField> {
  const [envelope = '', payload = ''] = table.operations[operation] ?? [];
  const around = table.envelopes[envelope];
  if (!around) throw new Error(`${operation} has no envelope`);
  if (envelope === 'none') return expand(shapeNamed(payload));
  const place = envelope === 'C' || envelope === 'list' ? 'Items' : 'Result';
  return expand({ ...around, [place]: `${payload} or null` });
}

export const eventFields = (): ReadonlyMap<string, DocumentedField> =>
  expand(shapeNamed(table.event));

function shapeNamed(name: string): Shape {
  const shape = table.shapes[name];
  if (!shape) throw new Error(`there is no shape ${name}`);
  const { like, ...own } = shape;
  return typeof like === 'string' ? { ...shapeNamed(like), ...own } : shape;
}

function expand(shape: Shape, at = ''): Map<string, DocumentedField> {
  const fields = new Map<string, DocumentedField>();
  for (const [name, given] of Object.entries(shape)) {
    const { type, shown, why, inferred } =
      typeof given === 'string' ? ({ type: given } as Exception) : given;
    if (shown === false && !why) throw new Error(`${at}${name} is not shown without a reason`);
    const [, list, base = '', nullable] =
      /^(list of )?([\w-]+)( or null)?(?: \(sample\))?$/.exec(type) ?? [];
    if (base === '') throw new Error(`${at}${name} has no type: ${type}`);
    const path = `${at}${name}`;
    fields.set(path, {
      type: base,
      isList: list !== undefined,
      isNullable: nullable !== undefined,
      notShown: shown === false ? why : undefined,
      isInferred: inferred !== undefined,
    });
    if (base in SCALARS) continue;
    const inside = `${path}${list ? '[]' : ''}.`;
    for (const [deeper, field] of expand(shapeNamed(base), inside)) {
      fields.set(deeper, {
        ...field,
        notShown: shown === false ? why : field.notShown,
        isInferred: inferred !== undefined || field.isInferred,
      });
    }
  }
  return fields;
}

/** What is wrong with these answers, taken together; empty: each field has a value in one of them at least. */
export function compare(
  fields: ReadonlyMap<string, DocumentedField>,
  answers: readonly unknown[],
): readonly string[] {
  const seen = new Map<string, unknown[]>();
  for (const answer of answers) collect(answer, '', fields, seen);
  const problems: string[] = [];
  for (const [path, field] of fields) {
    const values = seen.get(path) ?? [];
    const isShown = values.some(hasValue);
    if (field.notShown && isShown) problems.push(`${path} is listed as not shown, and has a value`);
    if (!field.notShown && !isShown) problems.push(`${path} is documented, and missing`);
    if (!values.every((value) => isOfType(value, field)))
      problems.push(`${path} is no ${field.type}`);
  }
  const invented = [...seen.keys()].filter((path) => !fields.has(path));
  return [...problems, ...invented.map((path) => `${path} is invented`)];
}

function collect(
  value: unknown,
  at: string,
  fields: ReadonlyMap<string, DocumentedField>,
  seen: Map<string, unknown[]>,
): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, `${at}[]`, fields, seen);
  } else if (typeof value === 'object' && value !== null) {
    if (fields.get(at)?.type === 'anything') return;
    for (const [name, member] of Object.entries(value)) {
      const path = at === '' ? name : `${at}.${name}`;
      seen.set(path, [...(seen.get(path) ?? []), member]);
      collect(member, path, fields, seen);
    }
  }
}

const hasValue = (value: unknown) =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

function isOfType(
  value: unknown,
  { type, isList, isNullable, notShown }: DocumentedField,
): boolean {
  if (value === null) return isNullable || notShown !== undefined;
  const items = isList ? value : [value];
  const isScalar = SCALARS[type] ?? ((item: unknown) => typeof item === 'object' && item !== null);
  return Array.isArray(items) && items.every(isScalar);
}
