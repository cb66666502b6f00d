import type { Random } from '../../sandbox-kit/seeded-random.ts';

/**
 * What goes wrong with deliveries. The real store guarantees neither their order nor that each arrives,
 * or arrives only once. Each probability is drawn for each delivery.
 */
export interface Disorder {
  /** Up to this many later deliveries may overtake a delivery. */
  readonly shuffle: number;
  /** Probability of a second copy with the same webhook id. */
  readonly duplicate: number;
  /** Probability of a delay. */
  readonly delay: number;
  readonly longestDelayMs: number;
  /** Probability of never being sent. */
  readonly drop: number;
  /** Probability of the previous secret in the signature, as in the hour after a rotation. */
  readonly oldSecret: number;
}

export const inOrder: Disorder = {
  shuffle: 0,
  duplicate: 0,
  delay: 0,
  longestDelayMs: 1_000,
  drop: 0,
  oldSecret: 0,
};

/** What was drawn for one delivery. */
export interface DeliveryPlan {
  readonly overtakenBy: number;
  readonly delayMs: number;
  readonly dropped: boolean;
  readonly secret: 'current' | 'previous';
  readonly isCopy: boolean;
}

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

function drawPlan(disorder: Disorder, random: Random, isCopy: boolean): DeliveryPlan {
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
  };
}

export type DisorderReading =
  | { readonly kind: 'read'; readonly disorder: Disorder }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

const maxOvertaking = 1_000;
const longestDelayMs = 3_600_000;

/** Settings that are not given keep their value. */
export function readDisorder(value: unknown, before: Disorder): DisorderReading {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'wrong', problems: ['The disorder must be a JSON object.'] };
  }
  const problems = Object.entries(value).flatMap(([name, given]) => {
    if (!Object.hasOwn(inOrder, name)) return [`${name} is not a part of the disorder.`];
    const isCount = name === 'shuffle' || name === 'longestDelayMs';
    const most = name === 'shuffle' ? maxOvertaking : isCount ? longestDelayMs : 1;
    const fits =
      typeof given === 'number' &&
      given >= 0 &&
      given <= most &&
      (!isCount || Number.isInteger(given));
    return fits ? [] : [`${name} must be a ${isCount ? 'whole ' : ''}number from 0 to ${most}.`];
  });
  if (problems.length > 0) return { kind: 'wrong', problems };
  return { kind: 'read', disorder: { ...before, ...value } };
}
