import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from '../bench.ts';

/** The speed of the simulation in one thread: webhooks per second, including all their effects. */
export const simulate: Bench = {
  name: 'simulate',
  async run({ quick }) {
    const seeds = quick ? 4 : 12;
    const args = `test/simulation/main.ts --seed 2 --seeds ${seeds} --events 1000 --threads 1`;
    const { stdout } = await promisify(execFile)(process.execPath, args.split(' '));
    const [, perSecond] = / simulated events .*, ([\d,]+) a second/.exec(stdout) ?? [];
    if (perSecond === undefined) throw new Error(`the simulation gave no rate: ${stdout}`);
    return [
      {
        key: 'simulate.rate',
        value: Number(perSecond.replaceAll(',', '')),
        unit: 'events/s',
        note: `changes, deliveries, calls and time-outs, ${seeds} seeds of 1000 webhooks, one thread`,
        bar: { kind: 'at-least', limit: 5_000, of: 'value' },
      },
    ];
  },
};
