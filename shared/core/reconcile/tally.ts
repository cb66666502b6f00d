import type { Telemetry } from '../batch/telemetry.ts';
import type { HealedKind } from './healing-message.ts';
import type { Compared } from './reconcile-world.ts';

export type CountByKind = Readonly<Record<HealedKind, number>>;

/** What one run did for one shop. */
export interface Tally {
  add(kind: HealedKind, compared: Compared, now: Date): void;
  readonly lookedAt: CountByKind;
  readonly healed: CountByKind;
  readonly rolledOut: CountByKind;
  /** Age of the oldest that was healed; undefined: none was. */
  readonly oldestHealedMs: number | undefined;
}

export function createTally(telemetry: Telemetry): Tally {
  const lookedAt = { order: 0, product: 0, coupon: 0 };
  const healed = { order: 0, product: 0, coupon: 0 };
  const rolledOut = { order: 0, product: 0, coupon: 0 };
  let oldestHealedMs: number | undefined;
  return {
    lookedAt,
    healed,
    rolledOut,
    get oldestHealedMs() {
      return oldestHealedMs;
    },
    add(kind, compared, now) {
      lookedAt[kind] += compared.lookedAt;
      healed[kind] += compared.healed.length;
      rolledOut[kind] += compared.rolledOut;
      if (compared.lookedAt > 0) telemetry.count('looked-at', { kind }, compared.lookedAt);
      if (compared.rolledOut > 0) telemetry.count('rolled-out', { kind }, compared.rolledOut);
      if (compared.healed.length === 0) return;
      telemetry.count('healed', { kind }, compared.healed.length);
      const age = now.getTime() - Math.min(...compared.healed);
      oldestHealedMs = Math.max(oldestHealedMs ?? 0, age);
    },
  };
}
