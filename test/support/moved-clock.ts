import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs in each process before its own code. The file says by how many milliseconds its clock is ahead. */
const PRELOAD = `
  import { readFileSync } from 'node:fs';
  const { Date: Real, process } = globalThis;
  const file = process.env.TEST_CLOCK;
  const ahead = () => Number(readFileSync(file, 'utf8'));
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

/** A clock for other processes that a test moves, so that it waits for no hour and no day. */
export function openMovedClock() {
  const folder = mkdtempSync(join(tmpdir(), 'moved-clock-'));
  const file = join(folder, 'ahead');
  let aheadMs = 0;
  writeFileSync(file, '0');
  return {
    environment: {
      TEST_CLOCK: file,
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(PRELOAD)}"`,
    },
    now: () => new Date(Date.now() + aheadMs),
    advance(ms: number): void {
      aheadMs += ms;
      writeFileSync(file, String(aheadMs));
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}
