import { judgeGoLive } from '../../../scripts/connector/look/audit-promises.ts';
import { toEvent } from '../../../scripts/connector/set-up/backfill.ts';
import { HISTORY_METADATA, type OrderForm } from '../../../shared/core/mapping/wanted-state.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SHOP } from './connector.ts';
import { type LivingStore, toStoreOrder } from './living-store.ts';
import type { Queues } from './queues.ts';

interface BackfillDeps {
  readonly kernel: Kernel;
  readonly store: LivingStore;
  readonly queues: Queues;
  /** Epoch milliseconds. */
  readonly goLive: number;
}

const SENDS_FOR_MS = 20 * 60_000;

/** Sends the store's orders beside live events: read at one moment, sent over minutes, some twice. */
export class Backfill {
  readonly #world: BackfillDeps;
  readonly #asked = new Set<string>();
  #runs = 0;

  constructor(world: BackfillDeps) {
    this.#world = world;
  }

  async run(): Promise<void> {
    const { kernel, store, queues } = this.#world;
    const { time, chance, now } = kernel;
    this.#runs += 1;
    const run = this.#runs;
    kernel.journal.play('backfill');
    const readAt = now();
    for (const [index, row] of [...store.world.rows.orders.values()].entries()) {
      const order = await toStoreOrder(store.world, row);
      const name = joined(joined(31, run), index);
      // One that changed while it was read has no snapshot: the worker asks the store.
      const entity = chance(name, 1) < 0.1 ? undefined : ({ kind: 'order', order } as const);
      for (const copy of chance(name, 2) < 0.1 ? [3, 4] : [3]) {
        time.after(chance(name, copy) * SENDS_FOR_MS, () => {
          this.#asked.add(row.id);
          const given = { shop: SHOP, kind: 'orders', run } as const;
          const found = { kind: 'order', id: row.id, entity } as const;
          void queues.send(toEvent(found, given, { readAt, now: now() }));
        });
      }
    }
  }

  /** An order from before go-live is sent with the mark, and only if a backfill asked for it; others have no mark. */
  watch(sent: OrderForm): void {
    const { kernel, goLive } = this.#world;
    const { OriginalId: id = '', OrderPlacementDate = '', Metadatas } = sent;
    if (sent.IsCancelledOrReturned) return;
    const placedAt = Date.parse(OrderPlacementDate);
    const isHistory = Metadatas?.some(({ Name }) => Name === HISTORY_METADATA.name) ?? false;
    const differ = (what: string) => kernel.journal.violation('history', `order ${id} ${what}`);
    const judged = judgeGoLive({ placedAt, isHistory }, goLive);
    if (judged !== 'right') differ(judged);
    if (placedAt < goLive && !this.#asked.has(id))
      differ('is older than go-live, and no backfill asked for it');
  }
}
