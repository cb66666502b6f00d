import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from '../bench.ts';

/** The speed of the simulation in one thread: everything that happens, per second. */
export const simulate: Bench = {
  name: 'simulate',
  async run({ quick }) {
    const seeds = quick ? 4 : 12;
    // The first seed stands for the start of the process, which is not measured.
    const start = await runSeeds(1);
    const whole = await runSeeds(1 + seeds);
    return [
      {
        key: 'simulate.rate',
        value: (whole.events - start.events) / (whole.seconds - start.seconds),
        unit: 'events/s',
        note: `changes, deliveries, calls and time-outs, ${seeds} seeds of 1000 webhooks, one thread`,
        bar: { kind: 'at-least', limit: 5_000, of: 'value' },
      },
    ];
  },
};

async function runSeeds(seeds: number) {
  const started = performance.now();
  const args = `test/simulation/main.ts --seed 1 --seeds ${seeds} --part orders --events 1000 --threads 1`;
  const { stdout } = await promisify(execFile)(process.execPath, args.split(' '));
  const seconds = (performance.now() - started) / 1000;
  const [, events] = /([\d,]+) simulated events/.exec(stdout) ?? [];
  if (events === undefined) throw new Error(`the simulation gave no figures: ${stdout}`);
  return { seconds, events: Number(events.replaceAll(',', '')) };
}
