import { errorFields, type Telemetry } from '../events/telemetry.ts';
import {
  expiresAfter,
  isNewer,
  type Ledger,
  ledgerKeyText,
  type RecordKey,
} from '../ledger/ledger.ts';
import type { StoreEntity } from '../store/store.ts';
import type { RewardCode } from './redemption.ts';
import { applyStep, openRedemptions, type RedemptionsDeps } from './redemption-record.ts';

/** The store does not distinguish upper and lower case in codes. */
function codeKey(shop: string, code: string): RecordKey<'reward-code'> {
  return { shop, kind: 'reward-code', id: code.toLowerCase() };
}

/** Notes that a code is a reward's, for as long as an order may name it. May be repeated. */
export async function noteRewardCode(
  shop: string,
  { code, endsAt }: RewardCode,
  deps: RedemptionsDeps,
): Promise<void> {
  const entry = {
    version: deps.now().getTime(),
    uncertain: false,
    outcomes: [],
    // Orders change long after they were placed.
    ...(endsAt !== undefined && expiresAfter(deps.retentionDays, new Date(endsAt))),
  };
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

/**
 * Marks the reward codes that an order names as used, so that no page calls them ready any more. Only the
 * customer of a code can use it. Read only for orders with a code. The order does not wait for it: without the
 * mark, the store's count of uses says it a little later.
 */
export async function noteUsedCodes(
  shop: string,
  entity: StoreEntity | { readonly kind: 'gone' },
  deps: Omit<RedemptionsDeps, 'retentionDays'> & {
    readonly telemetry: Telemetry;
    readonly orderRetentionDays: number;
  },
): Promise<void> {
  if (entity.kind !== 'order' || !entity.order.customer) return;
  const { couponCodes, customer } = entity.order;
  if (couponCodes.length === 0) return;
  // The store does not distinguish upper and lower case in codes.
  const used = new Set(couponCodes.map((code) => code.toLowerCase()));
  const record = openRedemptions(
    { shop, customerId: customer.id },
    { ...deps, retentionDays: deps.orderRetentionDays },
  );
  try {
    const { redemptions } = await record.read();
    for (const { id, state } of redemptions) {
      if (state.at !== 'ready' || !used.has(state.code.code.toLowerCase())) continue;
      await applyStep(record, id, { kind: 'use' });
    }
  } catch (error) {
    deps.telemetry.log('warn', 'a used code could not be marked', { shop, ...errorFields(error) });
  }
}
