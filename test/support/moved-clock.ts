import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs in each process before its own code. The file says by how many milliseconds its clock is ahead. */
const PRELOAD = `
  import { readFileSync } from 'node:fs';
  const Real = globalThis.Date;
  const ahead = () => Number(readFileSync(process.env.TEST_CLOCK, 'utf8'));
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + ahead());
      else super(...given);
    }
    static now() {
      return Real.now() + ahead();
    }
  };
`;

/** A clock of this process and of those with its environment that a test moves, so that it waits for no hour. */
export function openMovedClock() {
  const folder = mkdtempSync(join(tmpdir(), 'moved-clock-'));
  const file = join(folder, 'ahead');
  let aheadMs = 0;
  writeFileSync(file, '0');
  const Real = globalThis.Date;
  globalThis.Date = class extends Real {
    constructor(...given: []) {
      if (given.length === 0) super(Real.now() + aheadMs);
      else super(...given);
    }
    static override now(): number {
      return Real.now() + aheadMs;
    }
  } as DateConstructor;

  return {
    environment: {
      TEST_CLOCK: file,
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(PRELOAD)}"`,
    },
    advance(ms: number): void {
      aheadMs += ms;
      writeFileSync(file, String(aheadMs));
    },
    close(): void {
      globalThis.Date = Real;
      rmSync(folder, { recursive: true });
    },
  };
}
