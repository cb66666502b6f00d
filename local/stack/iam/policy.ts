/** One statement of an IAM policy, with every list written as a list. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Operator → key → values. */
  readonly conditions: Conditions;
}

type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Condition keys of a request, such as `aws:SecureTransport`. A list: the key has several values. */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: RequestContext;
}

export type PolicyReading =
  | { readonly kind: 'read'; readonly statements: readonly Statement[] }
  | { readonly kind: 'unknown'; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;
type Operator = (given: string, wanted: string) => boolean;

const FIELDS = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Principal']);
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['Bool', (given, wanted) => given.toLowerCase() === wanted.toLowerCase()],
  ['StringEquals', (given, wanted) => given === wanted],
  ...['StringLike', 'ArnEquals', 'ArnLike'].map((name): [string, Operator] => [
    name,
    (given, wanted) => matchesPattern(wanted, given),
  ]),
]);
/** "Every value of the request matches one of the policy", for keys with several values. */
const FOR_ALL = 'ForAllValues:';
/** The only variable that is known here. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
const USER_ID = '${aws:userid}';

/** Refuses a document with an unknown part: a half-read policy could allow too much. */
export function readPolicy(document: Fields): PolicyReading {
  const statements = asList(document.Statement) as readonly Fields[];
  for (const { Effect: effect, Condition: condition, ...rest } of statements) {
    const field = Object.keys(rest).find((name) => !FIELDS.has(name));
    if (field !== undefined) return { kind: 'unknown', problem: `the field ${field}` };
    if (effect !== 'Allow' && effect !== 'Deny') {
      return { kind: 'unknown', problem: `the effect ${effect}` };
    }
    const operator = Object.keys(condition ?? {}).find((name) => !operatorOf(name));
    if (operator !== undefined) return { kind: 'unknown', problem: `the condition ${operator}` };
    const text = JSON.stringify([rest, condition]).replaceAll(USER_ID, '');
    if (text.includes('${')) return { kind: 'unknown', problem: 'a variable' };
  }
  return { kind: 'read', statements: statements.map(readStatement) };
}

function operatorOf(name: string): Operator | undefined {
  return OPERATORS.get(name.startsWith(FOR_ALL) ? name.slice(FOR_ALL.length) : name);
}

function readStatement({ Effect, Action, Resource, Condition }: Fields): Statement {
  const mapValues = <T>(fields: unknown, change: (value: unknown) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name, change(value)]));
  return {
    effect: Effect === 'Allow' ? 'Allow' : 'Deny',
    actions: asList(Action).map(String),
    resources: asList(Resource).map(String),
    conditions: mapValues(Condition, (keys) =>
      mapValues(keys, (values) => asList(values).map(String)),
    ),
  };
}

export function applies(statement: Statement, { action, resource, context }: AccessRequest) {
  return (
    // IAM ignores case in actions, but not in ARNs.
    statement.actions.some((one) => matchesPattern(one.toLowerCase(), action.toLowerCase())) &&
    statement.resources.some((one) => matchesPattern(one, resource)) &&
    conditionsHold(statement.conditions, context)
  );
}

/** All operators and keys must match, with one of a key's values. A key that the request lacks never matches. */
function conditionsHold(conditions: Conditions, context: RequestContext): boolean {
  return Object.entries(conditions).every(([name, keys]) =>
    Object.entries(keys).every(([key, wanted]) => {
      const given = context[key];
      const isList = Array.isArray(given);
      // A key with several values needs an operator for sets, and such an operator a key with several.
      if (given === undefined || isList !== name.startsWith(FOR_ALL)) return false;
      const allowed = wanted.map((value) =>
        value.replaceAll(USER_ID, String(context['aws:userid'])),
      );
      const matches = (one: string) => allowed.some((value) => operatorOf(name)?.(one, value));
      return [given].flat().every(matches);
    }),
  );
}

/** IAM's wildcards: `*` is any number of characters, including colons and slashes, `?` any one. */
function matchesPattern(pattern: string, text: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
