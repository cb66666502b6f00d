import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessControl } from '../iam/access-control.ts';

/** What the run was meant to reach, and did not. */
export class Unreached extends Error {}

const PAUSE_MS = 50;
const PATIENCE_MS = 20_000;
/** Once something was denied, what has not happened by then will not happen. */
const PATIENCE_AFTER_DENIAL_MS = 3_000;

export interface Patience {
  /** Rejects with `Unreached` when it does not become true. */
  until(
    what: string,
    condition: () => boolean | Promise<boolean>,
    patienceMs?: number,
  ): Promise<void>;
}

export function createPatience(access: AccessControl): Patience {
  const before = access.denials;
  let deniedAt: number | undefined;
  return {
    async until(what, condition, patienceMs) {
      const end = Date.now() + (patienceMs ?? PATIENCE_MS);
      while (!(await condition())) {
        const now = Date.now();
        if (access.denials > before) deniedAt ??= now;
        // A step that sets its own time has a reason why it may take long even so.
        const denialEnds =
          deniedAt !== undefined && patienceMs === undefined
            ? deniedAt + PATIENCE_AFTER_DENIAL_MS
            : end;
        if (now > Math.min(end, denialEnds)) throw new Unreached(what);
        await sleep(PAUSE_MS);
      }
    },
  };
}
