import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import { chance, pick, wholeNumber } from './fuzz-target.ts';

/** Names with a meaning for an engine, a library or CloudWatch. */
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

/** One hostile value. Large ones are rare, because they take time. */
function hostileValue(random: Random): JsonTree {
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

/** Deeper than any stack, to find recursive functions. */
function deepValue(random: Random): JsonTree {
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

/**
 * JSON that no JavaScript value can express: two members of the same name, numbers beyond any double, half of
 * a surrogate pair.
 */
export type JsonTree = null | boolean | number | string | JsonTree[] | Members | Verbatim;

class Members {
  pairs: [string, JsonTree][];
  constructor(pairs: [string, JsonTree][]) {
    this.pairs = pairs;
  }
}

/** Written as it is. */
class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function toTree(value: unknown): JsonTree {
  if (Array.isArray(value)) return value.map(toTree);
  if (typeof value === 'object' && value !== null) {
    return new Members(Object.entries(value).map(([key, member]) => [key, toTree(member)]));
  }
  return (value ?? null) as JsonTree;
}

/** A deep copy; verbatim parts are shared because they never change. */
function copyTree(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(copyTree);
  if (tree instanceof Members) {
    return new Members(tree.pairs.map(([key, member]) => [key, copyTree(member)]));
  }
  return tree;
}

export function writeTree(tree: JsonTree): string {
  if (Array.isArray(tree)) return `[${tree.map(writeTree).join(',')}]`;
  if (tree instanceof Verbatim) return tree.text;
  if (tree instanceof Members) {
    const members = tree.pairs.map(
      ([key, member]) => `${JSON.stringify(key)}:${writeTree(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(tree);
}

/** Not UTF-8: a lone continuation, an overlong slash, half a pair, an invalid byte. */
const BROKEN_UTF8 = [
  [0x80],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xff],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
];

/** A copy with a few random changes of bytes. */
function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  let mutated = Buffer.from(bytes);
  const times = 1 + wholeNumber(random, 4);
  for (let time = 0; time < times; time += 1) mutated = mutateOnce(mutated, random);
  return mutated;
}

function mutateOnce(bytes: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const at = wholeNumber(random, bytes.length + 1);
  switch (wholeNumber(random, 6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return join(bytes, at, at, Buffer.from(pick(random, BROKEN_UTF8)));
    case 2:
      return join(bytes, at, at + 1 + wholeNumber(random, 32), Buffer.alloc(0));
    case 3:
      return join(bytes, at, at, bytes.subarray(at, at + wholeNumber(random, 64)));
    case 4: {
      const noise = Array.from({ length: 1 + wholeNumber(random, 8) }, () =>
        wholeNumber(random, 256),
      );
      return join(bytes, at, at, Buffer.from(noise));
    }
    default:
      return flipBit(bytes, at, wholeNumber(random, 8));
  }
}

function join(bytes: Buffer, from: number, to: number, between: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat([bytes.subarray(0, from), between, bytes.subarray(to)]);
}

function flipBit(bytes: Buffer<ArrayBuffer>, at: number, bit: number): Buffer<ArrayBuffer> {
  const flipped = Buffer.from(bytes);
  const value = flipped[at];
  if (value !== undefined) flipped[at] = value ^ (1 << bit);
  return flipped;
}

/** The largest request that Lambda accepts. */
const MOST_BYTES = 6_000_000;

/** A valid body with changes: mostly of its structure, sometimes of its bytes, sometimes none. */
export function makeBody(valid: JsonTree, random: Random): Uint8Array {
  return changeBody(valid, random).subarray(0, MOST_BYTES);
}

function changeBody(valid: JsonTree, random: Random): Uint8Array {
  const how = random();
  if (how < 0.05) return Buffer.from(writeTree(valid));
  if (how < 0.78) return Buffer.from(writeTree(mutateJson(valid, random)));
  if (how < 0.98) return mutateBytes(Buffer.from(writeTree(valid)), random);
  return Buffer.from(Array.from({ length: Math.floor(random() * 300) }, () => random() * 256));
}

/** A copy of the tree with a few places changed. */
function mutateJson(tree: JsonTree, random: Random): JsonTree {
  const holder: JsonTree[] = [copyTree(tree)];
  // Near the root, where readers look at whole objects: random changes rarely put something deep there.
  const [root] = holder;
  if (root instanceof Members && chance(random, 0.03)) {
    put(root, wholeNumber(random, root.pairs.length), deepValue(random));
  }
  const times = chance(random, 0.6) ? 1 : 2 + wholeNumber(random, 3);
  for (let time = 0; time < times; time += 1) mutateIn(holder, random);
  return holder[0] ?? null;
}

/** Changes a random place of the tree. */
function mutateIn(holder: JsonTree[] | Members, random: Random): void {
  const places = holder instanceof Members ? holder.pairs.length : holder.length;
  const place = wholeNumber(random, places);
  const child = (holder instanceof Members ? holder.pairs[place]?.[1] : holder[place]) ?? null;
  const canDescend = child instanceof Members || Array.isArray(child);
  if (places === 0) grow(holder, random);
  else if (canDescend && chance(random, 0.8)) mutateIn(child, random);
  else change(holder, place, child, random);
}

function change(
  holder: JsonTree[] | Members,
  place: number,
  child: JsonTree,
  random: Random,
): void {
  const how = wholeNumber(random, 9);
  if (how === 0) takeAway(holder, place);
  else if (how === 1) grow(holder, random);
  else if (how === 2) put(holder, place, [child]);
  else if (how === 3) put(holder, place, new Members([[pick(random, HOSTILE_KEYS), child]]));
  else if (how === 4) repeat(holder, place, child, random);
  else if (how === 5 && holder instanceof Members) rename(holder, place, random);
  else put(holder, place, hostileValue(random));
}

function takeAway(holder: JsonTree[] | Members, place: number): void {
  if (holder instanceof Members) holder.pairs.splice(place, 1);
  else holder.splice(place, 1);
}

function put(holder: JsonTree[] | Members, place: number, value: JsonTree): void {
  if (!(holder instanceof Members)) holder[place] = value;
  else {
    const pair = holder.pairs[place];
    if (pair) pair[1] = value;
  }
}

function rename(holder: Members, place: number, random: Random): void {
  const pair = holder.pairs[place];
  if (pair) pair[0] = chance(random, 0.5) ? pick(random, HOSTILE_KEYS) : pair[0].toUpperCase();
}

function grow(holder: JsonTree[] | Members, random: Random): void {
  if (holder instanceof Members)
    holder.pairs.push([pick(random, HOSTILE_KEYS), hostileValue(random)]);
  else holder.push(hostileValue(random));
}

/** The same entry many times, or the same name twice with two values. */
function repeat(
  holder: JsonTree[] | Members,
  place: number,
  child: JsonTree,
  random: Random,
): void {
  if (holder instanceof Members) {
    const key = holder.pairs[place]?.[0] ?? '';
    holder.pairs.push([key, chance(random, 0.5) ? hostileValue(random) : copyTree(child)]);
    return;
  }
  const times = chance(random, 0.02) ? 2_000 : wholeNumber(random, 20);
  holder.push(...Array.from({ length: times }, () => copyTree(child)));
}
