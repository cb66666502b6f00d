import type { Identity } from './identities.ts';
import { UnknownInTemplate } from './template.ts';

export interface ResolverParts {
  /** Pseudo parameters and parameters with a default. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly identity: (logicalId: string) => Identity | undefined;
}

export type Resolve = (value: unknown) => unknown;

/** Templates put https:// before names, but the local addresses have no TLS. */
const withoutTls = (text: string): string =>
  text.replace(/^https:\/\/(?=127\.0\.0\.1[:/])/, 'http://');

/** `AWS::NoValue` removes the property. */
const NO_VALUE = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, parts: ResolverParts) => unknown;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, parts) => resolveReference(String(name), parts),
  'Fn::GetAtt': (argument, parts) => {
    const path = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
    return resolveAttribute(path, parts);
  },
  'Fn::Join': (argument, parts) => {
    const [separator, list] = asList(argument);
    return withoutTls(asList(walk(list, parts)).map(String).join(String(separator)));
  },
  'Fn::Sub': (argument, parts) => substitute(argument, parts),
  'Fn::Select': (argument, parts) => {
    const [index, list] = asList(argument);
    return asList(walk(list, parts))[Number(index)];
  },
  'Fn::Split': (argument, parts) => {
    const [separator, text] = asList(argument);
    return String(walk(text, parts)).split(String(separator));
  },
};

/** Replaces every reference of a template by its value on this machine. */
export function createResolver(parts: ResolverParts): Resolve {
  return (value) => {
    const resolved = walk(value, parts);
    return resolved === NO_VALUE ? undefined : resolved;
  };
}

function walk(value: unknown, parts: ResolverParts): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => walk(one, parts)).filter((one) => one !== NO_VALUE);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (only && entries.length === 1) {
    const [name, argument] = only;
    const intrinsic = Object.hasOwn(intrinsics, name) ? intrinsics[name] : undefined;
    if (intrinsic) return intrinsic(argument, parts);
    if (name.startsWith('Fn::') || name === 'Condition') {
      throw new UnknownInTemplate(`the function ${name}`);
    }
  }
  return Object.fromEntries(
    entries
      .map(([name, part]) => [name, walk(part, parts)] as const)
      .filter(([, part]) => part !== NO_VALUE),
  );
}

function resolveReference(name: string, { parameters, identity }: ResolverParts): unknown {
  if (name === 'AWS::NoValue') return NO_VALUE;
  if (Object.hasOwn(parameters, name)) return parameters[name];
  const known = identity(name);
  if (!known) throw new UnknownInTemplate(`what Ref ${name} stands for`);
  return known.ref;
}

function resolveAttribute(path: readonly string[], { identity }: ResolverParts): string {
  const [logicalId = '', ...names] = path;
  const attribute = names.join('.');
  const known = identity(logicalId);
  if (known?.isPlaceholder) return `${logicalId}.${attribute}`;
  const value = known?.attributes[attribute];
  if (value === undefined) throw new UnknownInTemplate(`the attribute ${logicalId}.${attribute}`);
  return value;
}

function substitute(argument: unknown, parts: ResolverParts): string {
  const [text, given] = Array.isArray(argument) ? argument : [argument, {}];
  const variables = walk(given, parts) as Readonly<Record<string, unknown>>;
  return String(text).replace(/\$\{(!?)([^}]+)\}/g, (_whole, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (Object.hasOwn(variables, name)) return String(variables[name]);
    return String(
      name.includes('.') ? resolveAttribute(name.split('.'), parts) : resolveReference(name, parts),
    );
  });
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnknownInTemplate('a function whose argument is not a list');
}
