import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import { type JsonTree, writeTree } from './json-tree.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';

/** The largest request that Lambda takes: nothing longer can arrive. */
const MOST_BYTES = 6_000_000;

/** A body made of a valid one: by its structure mostly, by its bytes at times, and now and then left alone. */
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
