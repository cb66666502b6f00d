import type { StoreCoupon } from '../../store/store-entities.ts';
import { type EntityKey, type EventQueue, inBatches, type StoreEvent } from '../events/event.ts';
import type { Outcome } from '../events/outcome.ts';
import { advance } from '../ledger/entry.ts';
import { type EntityEntry, isNewer, type Ledger, ledgerKeyText } from '../ledger/ledger.ts';
import { idempotencyKey } from '../mapping/wanted-state.ts';
import { askStoreLater, encodeCoupon, retryStore, type Store, type Task } from '../store/store.ts';
import { isLongUnseen } from './read-snapshot.ts';

export interface FanOutDeps {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly queue: EventQueue;
  readonly now: () => Date;
}

/** Begins the cursor of a page of the ledger's list, used when the store no longer has the discount. */
const GONE = 'gone:';

/**
 * One message per code, so that each is retried, parked and remembered separately; and one message per
 * page, so that a discount of any size continues where it stopped. The last step of a page sends the
 * message of the next.
 */
export async function fanOut(
  event: StoreEvent,
  { discountId, isCurrent }: Omit<Extract<Task, { kind: 'fan-out' }>, 'kind'>,
  deps: FanOutDeps,
): Promise<Outcome> {
  const { cursor } = event;
  if (cursor?.startsWith(GONE)) return fanOutGone(event, discountId, cursor, deps);
  const answer = await deps.store.readDiscount(event.shop, discountId, cursor);
  switch (answer.kind) {
    case 'unavailable':
      return retryStore(answer);
    case 'gone':
      // Announced, or the store does not show it yet.
      return event.claim === 'deleted' || isCurrent || isLongUnseen(event.receivedAt, deps.now())
        ? fanOutGone(event, discountId, GONE, deps)
        : askStoreLater('says-gone');
    case 'found': {
      const { automatic, coupons, next } = answer.value;
      // A store need not announce that a discount has lost a code. Where all are on one page, this shows it, if the store
      // is up to date: the worker of the code waits until that is sure.
      if (cursor === undefined && next === undefined) {
        const shown = new Set(coupons.map(({ code }) => code));
        for await (const { key } of findLostCodes(event.shop, discountId, shown, deps.ledger)) {
          await sendCode({ ...event, claim: 'changed' }, { code: key.id, why: 'gone' }, deps);
        }
      }
      if (automatic) return { kind: 'skipped', why: 'automatic-discount' };
      await announce(event.shop, coupons, deps.ledger);
      await inBatches(coupons, (coupon) => sendCode(event, { code: coupon.code, coupon }, deps));
      if (next !== undefined) await sendPage(event, next, deps);
      return { kind: 'handled', how: 'fanned-out' };
    }
  }
}

/** The codes of a discount that the service holds, or may, and that the store did not show. */
export async function* findLostCodes(
  shop: string,
  discountId: string,
  shown: ReadonlySet<string>,
  ledger: Pick<Ledger, 'listCodes' | 'readMany'>,
): AsyncGenerator<{ readonly key: EntityKey; readonly entry: EntityEntry }> {
  let from: string | undefined;
  do {
    const page = await ledger.listCodes(shop, discountId, from);
    const unseen = page.codes.filter((code) => !shown.has(code));
    const keys = unseen.map((id): EntityKey => ({ shop, kind: 'coupon', id }));
    const entries = await ledger.readMany(keys);
    for (const key of keys) {
      const text = ledgerKeyText(key);
      const entry = isNewer(entries, text) ? undefined : entries.get(text);
      if (entry && isActive(key.id, entry)) yield { key, entry };
    }
    from = page.next;
  } while (from !== undefined);
}

/** A skipped or inactive code needs no end. */
function isActive(code: string, { appliedKey, uncertain }: EntityEntry): boolean {
  const ended = idempotencyKey({ kind: 'inactive-coupon', id: code });
  return uncertain || (appliedKey !== undefined && appliedKey !== ended);
}

/**
 * The store no longer lists the codes of a deleted discount: the ledger has those that were announced.
 */
async function fanOutGone(
  event: StoreEvent,
  discountId: string,
  cursor: string,
  deps: FanOutDeps,
): Promise<Outcome> {
  const from = cursor.slice(GONE.length) || undefined;
  const { codes, next } = await deps.ledger.listCodes(event.shop, discountId, from);
  await inBatches(codes, (code) => sendCode(event, { code, why: 'gone' }, deps));
  if (next !== undefined) await sendPage(event, GONE + next, deps);
  return { kind: 'handled', how: 'fanned-out' };
}

/**
 * Writes each code to the ledger before its message is sent: if the discount is deleted while its codes
 * wait on the queue, only the ledger knows them.
 */
export async function announce(
  shop: string,
  coupons: readonly StoreCoupon[],
  ledger: Pick<Ledger, 'readMany' | 'write'>,
): Promise<void> {
  const keyOf = ({ code }: StoreCoupon): EntityKey => ({ shop, kind: 'coupon', id: code });
  const known = await ledger.readMany(coupons.map(keyOf));
  const unknown = coupons.filter((coupon) => {
    const text = ledgerKeyText(keyOf(coupon));
    return !isNewer(known, text) && !known.has(text);
  });
  // A conflict means that another worker has just done it.
  await inBatches(unknown, (coupon) => {
    const announced = { kind: 'announced', discountId: coupon.discountId } as const;
    return ledger.write(keyOf(coupon), advance(undefined, announced), undefined);
  });
}

/** Without the coupon the worker asks the store for the code. */
export async function sendCode(
  event: StoreEvent,
  { code, coupon, why = 'code' }: { code: string; coupon?: StoreCoupon; why?: string },
  { queue }: Pick<FanOutDeps, 'queue'>,
): Promise<void> {
  const { cursor: _, ...rest } = event;
  await queue.send({
    ...rest,
    origin: 'fan-out',
    kind: 'coupon',
    id: code,
    // With another reason it is another message, not a repetition of the first.
    deliveryId: `${event.deliveryId}/${why}/${code}`,
    body: coupon && encodeCoupon(coupon),
  });
}

async function sendPage(event: StoreEvent, cursor: string, { queue }: FanOutDeps): Promise<void> {
  const delivery = event.deliveryId.split('/page/', 1)[0];
  await queue.send({ ...event, cursor, deliveryId: `${delivery}/page/${cursor}` });
}
