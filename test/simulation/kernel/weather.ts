/**
 * What chance decides, by name: one seed and one name always give one number, at least 0 and below 1,
 * whatever was drawn before. Leaving something out of a run so changes nothing else in it, which is what
 * makes a failing run shrink.
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

/** Neighbouring inputs end far apart; the multipliers are those of lowbias32 (public domain). */
function scatter(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}

/** What a process can ask of the world: each has its own faults. */
export type Resource = 'ledger' | 'queue' | 'store' | 'loyalty';

/** How likely each thing goes wrong, for each time it is tried. */
export interface Weather {
  /** A process dies at an await. */
  readonly crash: number;
  /** Refused without effect, or done and not answered: of each half. */
  readonly ledger: number;
  readonly queue: number;
  readonly store: number;
  /** The store shows what it was a while ago. */
  readonly storeLags: number;
  readonly loyalty: number;
  /** The loyalty service refuses what is right, for a person to look at. */
  readonly rejections: number;
  readonly drops: number;
  readonly duplicates: number;
  /** Overtaken by seconds, or late by hours. */
  readonly shuffled: number;
  readonly late: number;
  /** Spans, in milliseconds since the beginning, in which nobody answers. */
  readonly outages: readonly Outage[];
}

interface Outage {
  readonly of: Resource;
  readonly from: number;
  readonly until: number;
}

const HOUR = 3_600_000;

/** Every seed has a climate of its own: most mix a few troubles, some are calm, some are terrible. */
export function drawWeather(chance: Chance): Weather {
  let draws = 0;
  const draw = () => chance(11, draws++);
  const oneOf = (...values: readonly number[]) => values[Math.floor(draw() * values.length)] ?? 0;
  const weather = {
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
    // A long one is rare, and only of the service: it is what the retry schedule is made for.
    const long = of === 'loyalty' && draw() < 0.2;
    return { of: of ?? 'loyalty', from, until: from + draw() * (long ? 20 : 1.5) * HOUR };
  });
  return { ...weather, outages };
}
