import { correlationOf, type RedemptionEvent, type StoreEvent } from '../../core/events/event.ts';
import type { Outcome } from '../../core/events/outcome.ts';
import { followMerges } from '../../core/ledger/entry.ts';
import {
  expiresAfter,
  isNewer,
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../../core/ledger/ledger.ts';
import type { StoreEntity } from '../../core/store/store.ts';
import type { WorkerMoments } from '../../core/sync/dependencies.ts';
import {
  advance,
  mayBeSpare,
  type Redemption,
  type RewardCode,
  secondsUntil,
} from './redemption.ts';
import {
  applyStep,
  type Customer,
  openIn,
  openRedemptions,
  type RedemptionsDeps,
  redemptionsKey,
} from './redemption-record.ts';

/** The store does not distinguish upper and lower case in codes. */
function codeKey(shop: string, code: string): RecordKey<'reward-code'> {
  return { shop, kind: 'reward-code', id: code.toLowerCase() };
}

const form = rememberedForm<{ readonly customerId: string }>('reward-code', 1);

/** The customer whose reward a code is. */
export const codeOwner = (entry: Pick<LedgerEntry, 'remembered'> | undefined) =>
  form.read(entry?.remembered)?.customerId;

/** Notes whose reward a code is, for as long as an order may name it. May be repeated. */
export async function noteRewardCode(
  shop: string,
  { code, endsAt, customerId }: RewardCode & { readonly customerId: string },
  deps: RedemptionsDeps,
): Promise<void> {
  // Orders change long after they were placed.
  const expires = endsAt === undefined ? {} : expiresAfter(deps.retentionDays, new Date(endsAt));
  const entry = form.entry({ customerId }, deps.now().getTime(), expires);
  // A conflict means that it is noted already.
  await deps.ledger.write(codeKey(shop, code), entry, undefined);
}

/**
 * The order with a reward's code first. The service is given one code of an order, and only a reward's
 * says that the reward was used. The ledger is read for several codes only.
 */
export async function withRewardCodeFirst<Entity extends StoreEntity | { readonly kind: 'gone' }>(
  shop: string,
  entity: Entity,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<Entity> {
  if (entity.kind !== 'order' || entity.order.couponCodes.length < 2) return entity;
  const { couponCodes } = entity.order;
  const known = await ledger.readMany(couponCodes.map((code) => codeKey(shop, code)));
  // That there is one is enough, also if a newer release wrote it.
  const isReward = (code: string) => {
    const text = ledgerKeyText(codeKey(shop, code));
    return isNewer(known, text) || known.has(text);
  };
  const first = [...couponCodes.filter(isReward), ...couponCodes.filter((code) => !isReward(code))];
  return { ...entity, order: { ...entity.order, couponCodes: first } };
}

type UseDeps = Omit<RedemptionsDeps, 'retentionDays'> & {
  readonly queue: { send(event: RedemptionEvent): Promise<void> };
  readonly orderRetentionDays: number;
};

/**
 * Marks the reward codes that an order names as used, so that no page calls them ready any more. Only the
 * customer of a code can use it. Read only for orders with a code. The order waits for it: the points of a code that
 * was taken back must be taken again, and no other event says so.
 */
export async function noteUsedCodes(
  shop: string,
  entity: StoreEntity | { readonly kind: 'gone' },
  deps: UseDeps,
): Promise<void> {
  if (entity.kind !== 'order' || !entity.order.customer) return;
  const { couponCodes, customer } = entity.order;
  if (couponCodes.length === 0) return;
  const keys = couponCodes.map((code) => codeKey(shop, code));
  const known = await deps.ledger.readMany(keys);
  for (const key of keys) {
    const owner = codeOwner(known.get(ledgerKeyText(key)));
    if (owner === undefined) continue;
    // The store may have merged the customer of the code into that of the order.
    const isTheirs =
      owner === customer.id ||
      (await followMerges({ shop, id: owner }, deps.ledger)) === customer.id;
    if (isTheirs) await useCode({ shop, customerId: owner }, key.id, deps);
  }
}

async function useCode(customer: Customer, code: string, deps: UseDeps): Promise<void> {
  const record = openRedemptions(customer, { ...deps, retentionDays: deps.orderRetentionDays });
  const { redemptions } = await record.read();
  const one = redemptions.find(
    ({ state }) => 'code' in state && state.code?.code.toLowerCase() === code,
  );
  if (!one) return;
  const { id } = one;
  const isNew = advance(one, { kind: 'use' }, deps.now()) !== undefined;
  const noted = isNew ? await applyStep(record, id, { kind: 'use' }) : one;
  if (!noted || !needsWorker(noted, deps.now())) return;
  const deliveryId = `order/${id}/${noted.since}`;
  const names = { kind: 'redemption', topic: 'redeem', deliveryId } as const;
  await deps.queue.send({ ...customer, ...names, id, receivedAt: deps.now().toISOString() });
}

/** An order is heard of again for as long. */
const HEARD_AGAIN_SECONDS = 86_400;

/**
 * To take points again; or to delete a code that was made again, which this order from an older checkout did not use up.
 * Also again: the process that noted it may have died before it sent the message.
 */
function needsWorker(redemption: Redemption, now: Date): boolean {
  const { state, stuck, since } = redemption;
  if (state.at === 'owing') return stuck === undefined;
  return mayBeSpare(redemption) && secondsUntil(since, HEARD_AGAIN_SECONDS, now) > 0;
}

/**
 * How long an event waits for open redemptions, which end within minutes if no system is down: of the 15 days that the
 * shortest law leaves for a redaction. One that is open for longer needs a person.
 */
const WAITS_SECONDS = 86_400;

const WAITS: Outcome = { kind: 'retry', why: 'redemption-open' };

const mayWait = ({ receivedAt }: StoreEvent, now: Date): boolean =>
  secondsUntil(receivedAt, WAITS_SECONDS, now) > 0;

/**
 * Erases the redemptions of a person, unless one is open: it needs the person's id in the loyalty service
 * to come to its end, and without it points would be spent for nothing. The write is conditional, because
 * a click may begin a redemption after the reading.
 */
export const eraseRedemptions: WorkerMoments['personErased'] = async (
  event,
  customerId,
  mark,
  { ledger, telemetry, now },
) => {
  const key = redemptionsKey({ shop: event.shop, customerId });
  const entry = await readEntry(ledger, key);
  if (!entry) return undefined;
  const { remembered, revision, ...kept } = entry;
  const open = openIn(remembered, now());
  if (open.length > 0 && mayWait(event, now())) return WAITS;
  const written = await ledger.write(key, { ...kept, ...mark }, revision);
  if (written.kind === 'conflict') return WAITS;
  if (open.length > 0) {
    const ids = open.map(({ id }) => id).join(',');
    telemetry.log('error', 'redacted with open redemptions', { ...correlationOf(event), ids });
  }
  return undefined;
};

/** The store refuses a code for a customer who is gone, and the points of its redemption go back to the member. */
export const awaitRedemptions: WorkerMoments['customerMerged'] = async (
  event,
  deletedId,
  { ledger, now },
) => {
  const key = redemptionsKey({ shop: event.shop, customerId: deletedId });
  const kept = await readEntry(ledger, key);
  if (!mayWait(event, now())) return undefined;
  return openIn(kept?.remembered, now()).length > 0 ? WAITS : undefined;
};
