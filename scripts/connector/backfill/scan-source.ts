import type {
  ScanAnswer,
  ScanPage,
  StoreEntity,
  StoreScan,
} from '../../../shared/core/store/store.ts';
import { versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import { Problem } from '../terminal/exit.ts';
import type { BackfillState, EntitySource } from './run-backfill.ts';

type Period = Pick<BackfillState, 'shop' | 'kind' | 'since' | 'until' | 'startedAt'>;

/** A store without files: it is read page by page, in the order of creation. */
export function scanSource(
  store: Pick<StoreScan, 'changedOrders' | 'changedProducts' | 'changedDiscounts'>,
  period: Period,
  pause: (milliseconds: number) => Promise<unknown>,
): EntitySource {
  return {
    // Its version is the moment when it was read.
    readAt: (entity) => new Date(versionOf(entity)),
    async *read({ skip }) {
      let read = 0;
      for await (const entity of scan(store, period, pause)) {
        read += 1;
        // A resumed backfill reads from the beginning and leaves out what was sent.
        if (read > skip) yield { kind: 'entity', entity, next: { byte: 0, skip: read } };
      }
    },
  };
}

async function* scan(
  store: Parameters<typeof scanSource>[0],
  period: Period,
  pause: (milliseconds: number) => Promise<unknown>,
): AsyncGenerator<StoreEntity> {
  let after: string | undefined;
  do {
    const from = after;
    const page = await patiently(() => readPage(store, period, from), pause);
    yield* page.changed.flatMap(({ value }) => value ?? []);
    after = page.next;
  } while (after !== undefined);
}

async function readPage(
  store: Parameters<typeof scanSource>[0],
  { shop, kind, since, until, startedAt }: Period,
  after: string | undefined,
): Promise<ScanAnswer<ScanPage<readonly StoreEntity[]>>> {
  const from = since === undefined ? undefined : Date.parse(since);
  const span = { from, until: Date.parse(until ?? startedAt) };
  switch (kind) {
    case 'orders': {
      const page = await store.changedOrders(shop, span, after);
      // A platform may show older ones, which may have changed since.
      return entitiesOf(page, (order) =>
        Date.parse(order.placedAt) >= (from ?? 0) ? [{ kind: 'order', order }] : [],
      );
    }
    case 'products':
      return entitiesOf(await store.changedProducts(shop, span, after), (product) => [
        { kind: 'product', product },
      ]);
    case 'discounts':
      return entitiesOf(await store.changedDiscounts(shop, span, after), ({ coupons }) =>
        coupons.map((coupon) => ({ kind: 'coupon', coupon })),
      );
  }
}

function entitiesOf<Value>(
  page: ScanAnswer<ScanPage<Value>>,
  read: (value: Value) => readonly StoreEntity[],
): ScanAnswer<ScanPage<readonly StoreEntity[]>> {
  if (page.kind === 'unavailable') return page;
  const changed = page.value.changed.map((one) => ({
    ...one,
    value: one.value && read(one.value),
  }));
  return { kind: 'found', value: { ...page.value, changed } };
}

const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 500;

/** A server that restarts must not end a backfill of hours. */
async function patiently<Value>(
  ask: () => Promise<ScanAnswer<Value>>,
  pause: (milliseconds: number) => Promise<unknown>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.kind === 'found') return answer.value;
    if (answer.misconfigured || answer.queryRefused || tries === MOST_TRIES) {
      const next = 'Repeat the command once "doctor" finds nothing: it goes on where it is.';
      throw new Problem(`The store could not be read (${answer.why}).`, next);
    }
    await pause((answer.afterSeconds ?? 0) * 1000 || FIRST_PAUSE_MS * 2 ** tries);
  }
}
