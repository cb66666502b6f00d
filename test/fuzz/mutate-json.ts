import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import { chance, pick, wholeNumber } from './fuzz-target.ts';
import { deepValue, HOSTILE_KEYS, hostileValue } from './hostile-values.ts';
import { copyTree, type JsonTree, Members } from './json-tree.ts';

/** A copy of the tree with a few places changed. */
export function mutateJson(tree: JsonTree, random: Random): JsonTree {
  const holder: JsonTree[] = [copyTree(tree)];
  // Near the root, where readers look at whole objects: chance alone seldom puts something deep there.
  const [root] = holder;
  if (root instanceof Members && chance(random, 0.03)) {
    put(root, wholeNumber(random, root.pairs.length), deepValue(random));
  }
  const times = chance(random, 0.6) ? 1 : 2 + wholeNumber(random, 3);
  for (let time = 0; time < times; time += 1) mutateIn(holder, random);
  return holder[0] ?? null;
}

/** Goes down into the tree for as long as chance has it, then changes what it finds. */
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
  // Near the root, where readers look at whole objects: chance alone seldom puts something deep there.
  const [root] = holder;
  if (root instanceof Members && chance(random, 0.03)) {
    put(root, wholeNumber(random, root.pairs.length), deepValue(random));
  }
  const times = chance(random, 0.02) ? 2_000 : wholeNumber(random, 20);
  holder.push(...Array.from({ length: times }, () => copyTree(child)));
}
