import { isKnownOperator } from './conditions.ts';

/** A policy of IAM, with every list written as a list. */
export interface PolicyDocument {
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Operator → key → values. */
  readonly conditions: Conditions;
}

export type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export type PolicyReading =
  | { readonly kind: 'read'; readonly document: PolicyDocument }
  | { readonly kind: 'unknown'; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

const KNOWN = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Principal']);

/** What is not understood is refused whole: half a policy would allow too much, or deny nothing. */
export function readPolicyDocument(fields: Fields): PolicyReading {
  const statements = asList(fields.Statement) as readonly Fields[];
  for (const statement of statements) {
    const strange = Object.keys(statement).find((name) => !KNOWN.has(name));
    if (strange !== undefined) return { kind: 'unknown', problem: `the field ${strange}` };
    if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') {
      return { kind: 'unknown', problem: `the effect ${statement.Effect}` };
    }
    const operator = Object.keys(asFields(statement.Condition)).find(
      (name) => !isKnownOperator(name),
    );
    if (operator !== undefined) return { kind: 'unknown', problem: `the condition ${operator}` };
  }
  return { kind: 'read', document: { statements: statements.map(readStatement) } };
}

function readStatement({ Effect, Action, Resource, Condition }: Fields): Statement {
  return {
    effect: Effect === 'Allow' ? 'Allow' : 'Deny',
    actions: asList(Action).map(String),
    resources: asList(Resource).map(String),
    conditions: Object.fromEntries(
      Object.entries(asFields(Condition)).map(([operator, keys]) => [
        operator,
        Object.fromEntries(
          Object.entries(asFields(keys)).map(([key, values]) => [key, asList(values).map(String)]),
        ),
      ]),
    ),
  };
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
