import { simulate as simulateSeed } from '../../test/simulation/simulate.ts';
import type { Bench } from '../bench.ts';

const EVENTS = 1_000;

/** How fast the simulation is, in one thread: webhooks of the store, with all that follows from them. */
export const simulate: Bench = {
  name: 'simulate',
  async run({ quick }) {
    const seeds = quick ? 2 : 12;
    await simulateSeed({ seed: 1, events: EVENTS });
    let webhooks = 0;
    let happened = 0;
    let violations = 0;
    const started = performance.now();
    for (let seed = 2; seed < 2 + seeds; seed += 1) {
      const result = await simulateSeed({ seed, events: EVENTS });
      webhooks += result.counts.webhooks;
      happened += result.counts.happened;
      violations += result.violations.length;
    }
    const seconds = (performance.now() - started) / 1000;
    if (violations > 0) throw new Error(`the simulation found ${violations} violations`);
    const note = `${seeds} seeds of ${EVENTS} webhooks, one thread`;
    return [
      {
        key: 'simulate.rate',
        value: happened / seconds,
        unit: 'events/s',
        note: `everything that has a moment of its own, ${note}`,
        bar: { kind: 'at-least', limit: 5_000, of: 'value' },
      },
      { key: 'simulate.webhooks', value: webhooks / seconds, unit: 'webhooks/s', note },
    ];
  },
};
