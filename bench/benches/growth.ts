import type { Bench, Figure } from '../bench.ts';
import { type GrowthRig, openGrowthRig } from '../growth/growth-rig.ts';
import { growByShops } from '../growth/shops.ts';

const PAYLOAD_KIB = [8, 32, 128, 512] as const;
const LINES = [1, 10, 50, 200] as const;
const BACKLOG = [1, 2, 5, 10] as const;
const SHOPS = [1, 10, 100] as const;

/** How the connector's cost grows with what it is given. Its own, without the others. */
export const growth: Bench = {
  name: 'growth',
  async run({ lab: open, quick }) {
    const lab = await open();
    const amount = quick ? { rounds: 2, perRound: 10 } : { rounds: 7, perRound: 25 };
    const rig = await openGrowthRig(lab, amount);
    const some = (points: readonly number[]) =>
      quick ? [points.at(0) ?? 0, points.at(-1) ?? 0] : points;
    try {
      return [
        ...(await growByEvents(rig, quick ? [50, 100] : [250, 1_000, 4_000])),
        ...(await growByPayload(rig, some(PAYLOAD_KIB))),
        ...(await growByLines(rig, some(LINES))),
        ...(await growByBacklog(rig, some(BACKLOG))),
        ...(await growByShops(lab, some(SHOPS), quick ? 1 : 7)),
      ];
    } finally {
      await rig.stop();
    }
  },
};

/** In one process, from the first to the last: what is kept of an event would show. */
async function growByEvents(rig: GrowthRig, counts: readonly number[]): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  let handled = 0;
  for (const count of counts) {
    for (; handled + rig.perRound <= count; handled += rig.perRound) {
      await rig.receive({ lines: 1, bytes: 8 * 1024 });
      await rig.apply({ lines: 1, bytes: 8 * 1024 });
    }
    const receiver = await rig.receive({ lines: 1, bytes: 8 * 1024 });
    const worker = await rig.apply({ lines: 1, bytes: 8 * 1024 });
    figures.push(
      megabytes(`growth.events.${count}.receiver`, receiver.rssBytes),
      megabytes(`growth.events.${count}.worker`, worker.rssBytes),
    );
  }
  return figures;
}

const megabytes = (key: string, bytes: number): Figure => ({
  key,
  value: bytes / 1e6,
  unit: 'MB of memory',
});

/** The same few lines and a longer note: bytes alone. */
async function growByPayload(
  rig: GrowthRig,
  sizesKib: readonly number[],
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const kib of sizesKib) {
    const size = { lines: 3, bytes: kib * 1024 };
    figures.push(
      await rig.cpu(`growth.payload.${kib}k.receiver`, () => rig.receive(size)),
      await rig.cpu(`growth.payload.${kib}k.worker`, () => rig.apply(size)),
      {
        key: `growth.payload.${kib}k.message`,
        value: (await rig.messageBytes(size)) / 1024,
        unit: 'KiB',
      },
    );
  }
  return figures;
}

async function growByLines(rig: GrowthRig, counts: readonly number[]): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const lines of counts) {
    figures.push(await rig.cpu(`growth.lines.${lines}.worker`, () => rig.apply({ lines })));
  }
  return figures;
}

/** A backlog is worked on in fuller batches, up to ten. */
async function growByBacklog(
  rig: GrowthRig,
  batches: readonly number[],
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const perBatch of batches) {
    const size = { lines: 1, bytes: 8 * 1024 };
    figures.push(
      await rig.cpu(`growth.backlog.${perBatch}.worker`, () => rig.apply(size, perBatch)),
      {
        key: `growth.backlog.${perBatch}.calls`,
        value: await rig.callsPerEvent(perBatch),
        unit: 'AWS calls',
      },
    );
  }
  return figures;
}
