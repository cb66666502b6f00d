/**
 * Random numbers by name: one seed and one name always give one number, at least 0 and below 1, no matter
 * what was drawn before. So removing something from a run changes nothing else in it, which makes
 * shrinking possible.
 */
export type Chance = (...name: readonly number[]) => number;

export function createChance(seed: number): Chance {
  const start = scatter(seed ^ 0x5bd1e995);
  return (...name) => {
    let state = start;
    for (const part of name) state = scatter((state + Math.imul(part | 0, 0x9e3779b1)) | 0);
    return (scatter(state) >>> 0) / 2 ** 32;
  };
}

/** A text as a part of a name. */
export function nameOf(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return state;
}

/** Two numbers as one part of a name. */
export const joined = (a: number, b: number): number =>
  scatter((scatter(a) + Math.imul(b | 0, 0x85ebca6b)) | 0);

/** Spreads neighbouring inputs; the multipliers are those of lowbias32 (public domain). */
function scatter(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}

/** The services that a process calls: each has its own faults. */
export type Resource = 'ledger' | 'queue' | 'store' | 'loyalty';

/** The probability of each fault, for each try. */
export interface FaultRates {
  /** A process dies at an await. */
  readonly crash: number;
  /** Half of them are refused without effect, half are executed without an answer. */
  readonly ledger: number;
  readonly queue: number;
  readonly store: number;
  /** The store returns an older state. */
  readonly storeLags: number;
  readonly loyalty: number;
  /** The loyalty service refuses a valid call, so that a person must act. */
  readonly rejections: number;
  readonly drops: number;
  readonly duplicates: number;
  /** Overtaken by seconds, or late by hours. */
  readonly shuffled: number;
  readonly late: number;
  /** Spans, in milliseconds since the start, in which a service does not answer. */
  readonly outages: readonly Outage[];
}

interface Outage {
  readonly of: Resource;
  readonly from: number;
  readonly until: number;
}

const HOUR = 3_600_000;

/** Every seed has its own mix of faults: most have a few, some none, some very many. */
export function drawFaultRates(chance: Chance): FaultRates {
  let draws = 0;
  const draw = () => chance(11, draws++);
  const oneOf = (...values: readonly number[]) => values[Math.floor(draw() * values.length)] ?? 0;
  const rates = {
    crash: oneOf(0, 0.003, 0.01, 0.04, 0.1),
    ledger: oneOf(0, 0, 0.01, 0.05),
    queue: oneOf(0, 0, 0.01, 0.05),
    store: oneOf(0, 0, 0.05, 0.2),
    storeLags: oneOf(0, 0, 0, 0, 0.2),
    loyalty: oneOf(0, 0.02, 0.1, 0.3),
    rejections: oneOf(0, 0, 0.02, 0.1),
    drops: oneOf(0, 0, 0, 0.02, 0.15),
    duplicates: oneOf(0, 0.05, 0.2),
    shuffled: oneOf(0, 0.2, 0.6),
    late: oneOf(0, 0.02, 0.1),
  };
  const outages = Array.from({ length: oneOf(0, 0, 1, 2) }, (): Outage => {
    const of = (['loyalty', 'loyalty', 'store', 'ledger', 'queue'] as const)[oneOf(0, 1, 2, 3, 4)];
    const from = draw() * 2 * HOUR;
    // A long outage is rare, and only of the loyalty service: the retry schedule is made for it.
    const long = of === 'loyalty' && draw() < 0.2;
    return { of: of ?? 'loyalty', from, until: from + draw() * (long ? 20 : 1.5) * HOUR };
  });
  return { ...rates, outages };
}
