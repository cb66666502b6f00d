import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { FunctionProcess } from './stack-process.ts';

export interface Peak {
  readonly name: string;
  /** The maximum of all processes of that name. */
  readonly bytes: number;
  /** The maximum number of processes at once. */
  readonly processes: number;
}

const EVERY_MS = 1_000;

/** Measures the peak memory of each kind of process. */
export class PeakMemory {
  readonly #peaks = new Map<string, Peak>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  /** `processes` may fail while the stack is down; then nothing is measured. */
  constructor(processes: () => Promise<readonly FunctionProcess[]>) {
    const look = async () => {
      if (this.#isLooking) return;
      this.#isLooking = true;
      await processes()
        .then((all) => this.#look(all))
        .catch(() => {});
      this.#isLooking = false;
    };
    this.#timer = setInterval(() => void look(), EVERY_MS);
  }

  stop(): readonly Peak[] {
    clearInterval(this.#timer);
    return [...this.#peaks.values()];
  }

  #look(processes: readonly FunctionProcess[]): void {
    for (const [name, same] of Map.groupBy(processes, (one) => one.name)) {
      const before = this.#peaks.get(name);
      const bytes = Math.max(before?.bytes ?? 0, ...same.map(({ pid }) => memoryOf(pid)));
      const count = Math.max(before?.processes ?? 0, same.length);
      this.#peaks.set(name, { name, bytes, processes: count });
    }
  }
}

/** Linux records the peak; other systems only the current use. 0: no such process. */
function memoryOf(pid: number): number {
  try {
    if (process.platform !== 'linux') {
      return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024;
    }
    const [, kilobytes] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
