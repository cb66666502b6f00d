import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Bench, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { type CpuProfile, createPlaceOf, selfTimes } from '../profile/self-time.ts';
import { webhookEvent } from '../traffic/events.ts';
import { openOrderTraffic } from '../traffic/order-life.ts';
import { SIZES } from '../traffic/orders.ts';
import type { Part } from '../variants/build-variants.ts';

const SCRIPT = fileURLToPath(new URL('../profile/profile-process.mjs', import.meta.url));
/** Whatever takes less, wherever, is told as one. */
const LEAST_PERCENT = 2;
const THE_REST = 'everything else';

/** Where the time of the deployed bundles goes: self time in percent, by package, folder or part of Node. */
export const profile: Bench = {
  name: 'profile',
  async run({ lab: open, quick }) {
    const lab = await open();
    const count = quick ? 100 : 600;
    const columns = new Map<string, ReadonlyMap<string, number>>();
    for (const part of ['receiver', 'worker'] as const) {
      const events = await eventsFor(lab, part, count);
      columns.set(`${part}-cold`, await percentages(lab, part, 'cold', events.slice(0, 1), []));
      const half = count / 2;
      const late = events.slice(half);
      columns.set(
        `${part}-warm`,
        await percentages(lab, part, 'warm', late, events.slice(0, half)),
      );
    }
    return toFigures(columns);
  },
};

async function eventsFor(lab: Lab, part: Part, count: number): Promise<readonly unknown[]> {
  if (part === 'receiver') {
    return Array.from({ length: count }, (_, id) =>
      webhookEvent(lab.writeOrder({ id: 10_000 + id, updatedAt: new Date(), ...SIZES['8k'] })),
    );
  }
  const traffic = await openOrderTraffic(lab, ['connector']);
  const wish = { happenings: ['first'], batches: count, perBatch: 1 } as const;
  const [first = []] = await traffic.live('connector', wish);
  await traffic.stop();
  return first;
}

async function percentages(
  { bundles, environment }: Lab,
  part: Part,
  mode: 'cold' | 'warm',
  events: readonly unknown[],
  before: readonly unknown[],
): Promise<ReadonlyMap<string, number>> {
  const bundle = bundles.fileOf('connector', part);
  const eventsFile = join(dirname(bundle), 'events.json');
  writeFileSync(eventsFile, JSON.stringify({ before, events }));
  const child = spawn(process.execPath, [SCRIPT, bundle, mode, eventsFile], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [answer] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')]);
  const map = new SourceMap(JSON.parse(readFileSync(mapOf(bundle), 'utf8')));
  const placeOf = createPlaceOf(bundle, ({ lineNumber, columnNumber }) => {
    const entry = map.findEntry(lineNumber, columnNumber);
    return 'originalSource' in entry ? entry.originalSource : undefined;
  });
  const times = selfTimes(JSON.parse(answer) as CpuProfile, placeOf);
  const total = [...times.values()].reduce((sum, one) => sum + one, 0);
  return new Map([...times].map(([place, time]) => [place, (100 * time) / total]));
}

/** …/assets/sync-orders/index.js and …/source-maps/sync-orders.js.map */
function mapOf(bundle: string): string {
  const folder = dirname(bundle);
  return join(folder, '../../source-maps', `${basename(folder)}.js.map`);
}

function toFigures(columns: ReadonlyMap<string, ReadonlyMap<string, number>>): readonly Figure[] {
  const places = [...new Set([...columns.values()].flatMap((times) => [...times.keys()]))];
  const largest = (place: string) =>
    Math.max(...[...columns.values()].map((times) => times.get(place) ?? 0));
  const named = places
    .filter((place) => largest(place) >= LEAST_PERCENT)
    .sort((one, other) => largest(other) - largest(one));
  return [...named, THE_REST].flatMap((place) =>
    [...columns].map(([column, times]) => {
      const others = [...times].filter(([name]) => !named.includes(name));
      const rest = others.reduce((sum, [, percent]) => sum + percent, 0);
      const value = place === THE_REST ? rest : (times.get(place) ?? 0);
      return { key: `profile.${place}.${column}`, value, unit: '% of its CPU' };
    }),
  );
}
