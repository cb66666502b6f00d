import type { StoreCoupon } from '../../store/store-entities.ts';
import { ask, callService } from '../calls/call-loyalty.ts';
import {
  correlationOf,
  type EntityKey,
  hashBody,
  inBatches,
  type StoreEvent,
} from '../events/event.ts';
import { type Outcome, overtaken } from '../events/outcome.ts';
import { customerItems, noteMerge } from '../ledger/entry.ts';
import {
  type EntityEntry,
  expiresAfter,
  isNewer,
  type Ledger,
  ledgerKeyText,
  type PastOutcome,
  type RecordKey,
  readEntry,
} from '../ledger/ledger.ts';
import { idempotencyKey } from '../mapping/wanted-state.ts';
import { askStoreLater, encodeCoupon, retryStore, type Task } from '../store/store.ts';
import type { SyncDeps } from './dependencies.ts';
import { isLongUnseen } from './read-snapshot.ts';

type TaskDeps = Omit<SyncDeps, 'pauses'>;

type Redaction = Extract<Task, { kind: 'redact' }>;

/** Work that is not about one entity. Each task may be repeated: a retry begins it again. */
export async function handleTask(event: StoreEvent, task: Task, deps: TaskDeps): Promise<Outcome> {
  switch (task.kind) {
    case 'fan-out':
      return fanOut(event, task, deps);
    case 'sync-code':
      await sendCode(event, { code: task.code }, deps);
      return { kind: 'handled', how: 'code-enqueued' };
    case 'skip':
      return { kind: 'skipped', why: task.why };
    case 'redact':
      return redactOnce(event, task, deps);
    case 'merge':
      return handleMerge(event, task, deps);
    case 'notify':
      await note(event, task, deps);
      return { kind: 'handled', how: task.notice };
  }
}

/** The store repeats an unanswered webhook for four hours; an operator may repeat one on purpose. */
const REPEATED_WITHIN_SECONDS = 86_400;

const CAME_BEFORE: Outcome = {
  kind: 'rejected',
  reason: 'rejected',
  why: 'the same bytes erased this customer before, so they may be a captured request: ask the merchant, and replay this dead letter if the customer asked again',
};

/**
 * Only the body is signed, and it has no date. Who captured one could erase what the customer has after coming back:
 * later than a day after the first, the same bytes are for a person, whose replay erases.
 * See docs/decisions/0002-the-store-confirms-what-a-body-cannot-prove.md.
 */
async function redactOnce(event: StoreEvent, task: Redaction, deps: TaskDeps): Promise<Outcome> {
  const { ledger, now, orderRetentionDays } = deps;
  if (!event.body || event.origin !== 'webhook') return redact(event, task, deps);
  const id = `${hashBody(event.body)}/redacted`;
  const key: RecordKey<'parked'> = { shop: event.shop, kind: 'parked', id };
  const first = await readEntry(ledger, key);
  const since = first && Date.parse(event.receivedAt) - first.version;
  const isLate = since !== undefined && since > REPEATED_WITHIN_SECONDS * 1000;
  if (isLate && !event.replays) return CAME_BEFORE;
  const outcome = await redact(event, task, deps);
  if (first || outcome.kind !== 'handled') return outcome;
  // A conflict means that another worker did the same.
  await ledger.write(key, noted(now(), orderRetentionDays), undefined);
  return outcome;
}

const noted = (at: Date, days: number, outcomes: readonly PastOutcome[] = []) => ({
  ...{ version: at.getTime(), uncertain: false, outcomes },
  ...expiresAfter(days, at),
});

async function redact(event: StoreEvent, task: Redaction, deps: TaskDeps): Promise<Outcome> {
  const { shop } = event;
  const now = deps.now();
  const mark = { redactedAt: now.getTime(), ...expiresAfter(deps.orderRetentionDays, now) };
  const open = await deps.rewards?.personErased(event, task.customerId, mark, deps);
  if (open) return open;
  const keys = task.orderIds.map((id): EntityKey => ({ shop, kind: 'order', id }));
  const customer = Object.values(customerItems({ shop, id: task.customerId }));
  // What a storefront has left that is no longer in the settings.
  const left: RecordKey = { shop, kind: 'redemption', id: task.customerId };
  const isLeft = !deps.rewards && (await readEntry(deps.ledger, left)) !== undefined;
  await deps.ledger.redact([...keys, ...customer, ...(isLeft ? [left] : [])], mark);
  const { rules, observes, ...program } = deps.shop(shop);
  const done = { kind: 'handled', how: 'redacted' } as const;
  if (observes || rules.redactedCustomers === 'keep') return done;
  const status = { IsEnabled: false, Reason: 'the customer is to be erased' };
  const asked = { ...deps, ...program };
  const { outcome } = await callService('changeCustomerStatus', [task.customerId, status], asked);
  const isUnknown = outcome.kind === 'rejected' && outcome.code === 'Customer_NotFound';
  return outcome.kind === 'applied' || isUnknown ? done : outcome;
}

/** Kept in the ledger, where the operator's commands find it, and counted for the alarm. */
async function note(
  event: StoreEvent,
  { notice, id, why }: Extract<Task, { kind: 'notify' }>,
  { ledger, telemetry, now, orderRetentionDays }: TaskDeps,
): Promise<void> {
  const key: RecordKey = { shop: event.shop, kind: 'notice', id: `${notice}/${id}` };
  const at = now();
  const { topic } = event;
  const line = { at: at.toISOString(), outcome: notice, version: at.getTime(), topic, why };
  // A conflict means that it is noted already.
  await ledger.write(key, noted(at, orderRetentionDays, [line]), undefined);
  telemetry.count(notice);
  telemetry.log('warn', why, { ...correlationOf(event), notice });
}

/**
 * The service has no operation that merges customers. What the member of the customer who is gone still has is
 * moved by a person: the message is parked until nothing is left, and a replay looks again.
 * See docs/decisions/0015-customers-are-sent-from-sign-up-and-people-finish-merges.md.
 */
async function handleMerge(
  event: StoreEvent,
  { deletedId, keptId }: { readonly deletedId: string; readonly keptId: string },
  deps: TaskDeps,
): Promise<Outcome> {
  const { ledger, now } = deps;
  const noted = await noteMerge({ shop: event.shop, id: deletedId }, keptId, {
    ...{ ledger, now: now(), topic: event.topic, retentionDays: deps.orderRetentionDays },
  });
  if (!noted) return overtaken;
  const pending = await deps.rewards?.customerMerged(event, deletedId, deps);
  if (pending) return pending;
  const asked = await ask('getCustomerPoints', [deletedId], { ...deps, ...deps.shop(event.shop) });
  if (asked.kind === 'retry') return asked;
  const { PointsBalance: points = 0, CashbackBalance: cashback = 0 } = asked.value ?? {};
  if (points === 0 && cashback === 0) return { kind: 'handled', how: 'merged' };
  const why =
    'the store merged two customers; the loyalty service keeps both members, and the one who is gone still has points: move them to the kept one, then replay this dead letter';
  return { kind: 'rejected', reason: 'rejected', code: 'points-left', why };
}

type FanOutDeps = Pick<SyncDeps, 'ledger' | 'store' | 'queue' | 'now'>;

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

/** The store no longer lists the codes of a deleted discount: the ledger has those that were announced. */
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
    const { discountId } = coupon;
    const undecided = { version: 0, uncertain: false, outcomes: [], discountId };
    return ledger.write(keyOf(coupon), undecided, undefined);
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
    ...{ ...rest, origin: 'fan-out', kind: 'coupon', id: code },
    // With another reason it is another message, not a repetition of the first.
    deliveryId: `${event.deliveryId}/${why}/${code}`,
    body: coupon && encodeCoupon(coupon),
  });
}

async function sendPage(event: StoreEvent, cursor: string, { queue }: FanOutDeps): Promise<void> {
  const delivery = event.deliveryId.split('/page/', 1)[0];
  await queue.send({ ...event, cursor, deliveryId: `${delivery}/page/${cursor}` });
}
