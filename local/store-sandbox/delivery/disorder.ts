import * as v from 'valibot';
import { describeIssue, wholeNumber } from '../../sandbox-kit/faults.ts';
import type { Random } from '../../sandbox-kit/seeded-random.ts';

const count = (most: number) => v.optional(wholeNumber(0, most));
const probability = v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)));

/**
 * What goes wrong with deliveries. The real store guarantees neither their order nor that each arrives,
 * or arrives only once. Each probability is drawn for each delivery.
 */
const changes = v.strictObject({
  /** Up to this many later deliveries may overtake a delivery. */
  shuffle: count(1_000),
  /** Of a second copy with the same webhook id. */
  duplicate: probability,
  /** Of a delay. */
  delay: probability,
  longestDelayMs: count(3_600_000),
  /** Of never being sent. */
  drop: probability,
  /** Of the previous secret in the signature, as in the hour after a rotation. */
  oldSecret: probability,
});

export type Disorder = Readonly<Record<keyof typeof changes.entries, number>>;

export const inOrder: Disorder = {
  shuffle: 0,
  duplicate: 0,
  delay: 0,
  longestDelayMs: 1_000,
  drop: 0,
  oldSecret: 0,
};

/** What was drawn for one delivery. */
export type DeliveryPlan = ReturnType<typeof drawPlan>;

/**
 * One plan for each copy that is sent. Always draws the same count of numbers, so that changing one
 * setting does not change what is drawn for the others.
 */
export function planDelivery(disorder: Disorder, random: Random): DeliveryPlan[] {
  const first = drawPlan(disorder, random, false);
  const isDoubled = random() < disorder.duplicate;
  const copy = drawPlan(disorder, random, true);
  return isDoubled ? [first, copy] : [first];
}

function drawPlan(disorder: Disorder, random: Random, isCopy: boolean) {
  const [overtaken, isDelayed, delay, isDropped, isOld] = [
    random(),
    random(),
    random(),
    random(),
    random(),
  ];
  return {
    overtakenBy: Math.floor(overtaken * (disorder.shuffle + 1)),
    delayMs: isDelayed < disorder.delay ? Math.ceil(delay * disorder.longestDelayMs) : 0,
    // A copy implies that the first was sent.
    dropped: !isCopy && isDropped < disorder.drop,
    secret: isOld < disorder.oldSecret ? 'previous' : 'current',
    isCopy,
  } as const;
}

export type DisorderReading =
  | { readonly kind: 'read'; readonly disorder: Disorder }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** Settings that are not given keep their value. */
export function readDisorder(value: unknown, before: Disorder): DisorderReading {
  const { success, output, issues = [] } = v.safeParse(changes, value);
  if (success) return { kind: 'read', disorder: { ...before, ...output } as Disorder };
  return { kind: 'wrong', problems: issues.map((issue) => describeIssue(issue, 'The disorder')) };
}
