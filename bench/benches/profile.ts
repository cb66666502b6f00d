import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import { openOrderTraffic } from '../traffic/order-life.ts';

/** The parts of Node's CPU profile that a bench reads. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const PARTS = [
  'own code',
  'requests',
  'socket writes',
  'garbage',
  'hashes',
  'Node, other',
] as const;
type Part = (typeof PARTS)[number];

/** Where a warm worker spends its CPU time: first sends of orders in single messages. */
export const profile: Bench = {
  name: 'profile',
  async run({ quick, lab: open }) {
    const lab = await open();
    const [rounds, orders] = quick ? [2, 20] : [30, 60];
    const connector = await profileOf(lab, 'connector', rounds, orders);
    const floor = await profileOf(lab, 'floor', rounds, orders);
    return PARTS.map(
      (part): Figure => ({
        key: `profile.${part.replaceAll(/\W+/g, '-')}`,
        value: connector[part],
        floor: floor[part],
        unit: 'ms CPU',
        note: `per first send in a batch of 1, ${rounds * orders} of them, sampled`,
      }),
    );
  },
};

async function profileOf(
  lab: Lab,
  variant: 'connector' | 'floor',
  rounds: number,
  orders: number,
): Promise<Readonly<Record<Part, number>>> {
  const folder = mkdtempSync(join(tmpdir(), 'connector-profile-'));
  const NODE_OPTIONS = `--cpu-prof --cpu-prof-interval=250 --cpu-prof-dir=${folder}`;
  const environment = { ...lab.environment, NODE_OPTIONS };
  const traffic = await openOrderTraffic(lab, [variant]);
  const workers = await startWarmVariants({ ...lab, environment }, 'worker', [variant]);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const life = { happenings: ['first'], batches: orders, perBatch: 1 } as const;
      const [first = []] = await traffic.live(variant, life);
      await workers.round(variant, first);
    }
  } finally {
    await workers.stop();
    await traffic.stop();
  }
  const [file = ''] = readdirSync(folder);
  const sampled = partsIn(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  rmSync(folder, { recursive: true });
  const perOrder = PARTS.map((part) => [part, sampled[part] / 1000 / (rounds * orders)]);
  return Object.fromEntries(perOrder);
}

/** Microseconds. */
function partsIn({ nodes, samples, timeDeltas }: CpuProfile): Record<Part, number> {
  const partOfNode = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const spent = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  for (const [index, id] of samples.entries()) {
    const part = partOfNode.get(id);
    if (part) spent[part] += timeDeltas[index] ?? 0;
  }
  return spent;
}

function partOf(frame: CpuProfile['nodes'][number]['callFrame']): Part | undefined {
  const { functionName: name, url } = frame;
  if (name === '(idle)' || name === '(program)' || name === '(root)') return undefined;
  if (name === '(garbage collector)') return 'garbage';
  if (url === '' && name.startsWith('write')) return 'socket writes';
  if (/^(?:file:|\/)/.test(url)) return 'own code';
  if (/http|\bnet\b|stream|timers|node:events/.test(url)) return 'requests';
  if (/crypto/.test(url)) return 'hashes';
  return 'Node, other';
}
