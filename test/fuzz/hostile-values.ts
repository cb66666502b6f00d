import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import { chance, pick, wholeNumber } from './fuzz-target.ts';
import { type JsonTree, Members, Verbatim } from './json-tree.ts';

/** Names that mean something to an engine, a library or CloudWatch. */
export const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  'length',
  'hasOwnProperty',
  '_aws',
  '',
  'a.b',
  '$ref',
] as const;

export const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ufffe',
  '\uffff',
  '\ud800',
  'a\udc00b',
  '\u202emoc.elpmaxe@yggod',
  '\u{1f469}\u200d\u{1f680}\u{e0067}',
  'line\r\nLevel: error',
  '\u001b[31mred\u001b[0m',
  '{"_aws":{"CloudWatchMetrics":[]}}',
  '"}\n{"level":"error"}',
  '../../etc/passwd',
  'https://169.254.169.254/latest/meta-data/',
  '<script>alert(1)</script>',
  '#{7*7} %n%n',
  '%00%0d%0a',
  "' OR 1=1 --",
  'undefined',
  'NaN',
  'null',
  '1e999999999',
  '-0',
  '0x1f',
  '１２３',
  '1,5',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '-271821-04-20T00:00:00Z',
  '2026-02-30T25:61:61+99:99',
  'gid://shopify/Order/0',
  'gid://shopify/Order/99999999999999999999999999999999',
  'gid://shopify/Customer/1?x=\n',
  '__proto__',
] as const;

const HOSTILE_NUMBERS = [
  '0',
  '-0',
  '-1',
  '0.1',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '820982911946154508',
  '123456789012345678901234567890',
  '1e21',
  '5e-324',
  '1.7976931348623157e308',
  '0.30000000000000004',
] as const;

/** One value that a careful sender would not send. Large ones are rare, because they take their time. */
export function hostileValue(random: Random): JsonTree {
  if (chance(random, 0.02)) return deepValue(random);
  if (chance(random, 0.004)) return wideValue(random);
  switch (wholeNumber(random, 8)) {
    case 0:
      return pick(random, [null, true, false]);
    case 1:
    case 2:
      return new Verbatim(pick(random, HOSTILE_NUMBERS));
    case 3:
    case 4:
      return pick(random, HOSTILE_TEXTS);
    case 5:
      return pick(random, ['x', '7', '\u00e9', '\ud83d']).repeat(2 ** wholeNumber(random, 11));
    case 6:
      return chance(random, 0.5) ? [] : new Members([]);
    default:
      return pollution(random);
  }
}

function pollution(random: Random): JsonTree {
  const inner = new Members([['polluted', true]]);
  const key = pick(random, HOSTILE_KEYS);
  return new Members([
    [key, chance(random, 0.5) ? inner : new Members([['prototype', inner]])],
    ['id', 1],
  ]);
}

/** Deeper than any stack: whoever follows it with a function that calls itself falls. */
export function deepValue(random: Random): JsonTree {
  const depth = 15_000;
  return chance(random, 0.5)
    ? new Verbatim(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    : new Verbatim(`${'{"a":'.repeat(depth)}null${'}'.repeat(depth)}`);
}

function wideValue(random: Random): JsonTree {
  const size = 10 ** (3 + wholeNumber(random, 3));
  switch (wholeNumber(random, 4)) {
    case 0:
      return new Verbatim(`[${'0,'.repeat(size)}0]`);
    case 1:
      return new Verbatim(`[${'{},'.repeat(size)}{}]`);
    case 2:
      return new Verbatim(`{${Array.from({ length: size }, (_, at) => `"${at}":null`).join(',')}}`);
    default:
      return 'x'.repeat(size * 10);
  }
}
