import { type Group, type Settle, settleEach } from '../../core/batch/run-batch.ts';
import type { Item } from '../../core/batch/waiting.ts';
import type { RedemptionEvent } from '../../core/events/event.ts';
import { type Outcome, unreadable } from '../../core/events/outcome.ts';
import { type AnnouncingDeps, announceAll } from '../balances/announce.ts';
import { type FindDeps, type FindingShop, settlePointEvent } from '../balances/find-customer.ts';
import type { CustomerSource } from '../balances/point-balance.ts';
import { type BalanceDeps, SHOP_UNKNOWN, settleBalances } from '../balances/settle-balances.ts';
import { type RedemptionState, secondsUntil } from './redemption.ts';
import {
  findRedemption,
  type OpenRedemptions,
  openRedemptions,
  type RedeemingDeps,
  withRedemption,
} from './redemption-record.ts';
import { resume } from './resume-redemption.ts';

type OfShop = Pick<RedeemingDeps, 'loyalty' | 'breaker' | 'members'>;

interface StorefrontDeps
  extends BalanceDeps,
    Omit<RedeemingDeps, keyof OfShop | keyof BalanceDeps>,
    Omit<FindDeps, keyof BalanceDeps> {
  readonly shops: ReadonlyMap<
    string,
    CustomerSource & FindingShop & OfShop & { readonly observes?: boolean }
  >;
}

/** The queue of balances carries redemptions and point events, too. No kind waits for another. */
export const settleStorefront: Settle<StorefrontDeps> = (all, deps) => {
  const balances = settleBalances(all, deps);
  return {
    keys: balances.keys,
    begin(groups, entries) {
      const settleBalance = balances.begin(
        groups.filter(
          (group) =>
            !isOf('redemption', group) && !isOf('point-event', group) && !isObserved(group, deps),
        ),
        entries,
      );
      return (group) => {
        if (isObserved(group, deps)) return settleEach(group, leaveObserved, deps);
        if (isOf('redemption', group)) {
          return settleEach(group, (item) => resumeItem(item, deps), deps);
        }
        return isOf('point-event', group) ? settlePointEvent(group, deps) : settleBalance(group);
      };
    },
  };
};

const isOf = (kind: 'redemption' | 'point-event', { items }: Group): boolean =>
  items.some(({ event }) => event?.kind === kind);

const isObserved = ({ items }: Group, { shops }: StorefrontDeps): boolean =>
  items.some(({ event }) => event && shops.get(event.shop)?.observes);

/** Nothing is written to the store. A redemption that began before goes on when the shop is live again. */
const leaveObserved = ({ event }: Item): Outcome =>
  event?.kind === 'redemption'
    ? { kind: 'retry', why: 'shop-paused', pausedBy: 'operator' }
    : { kind: 'skipped', why: 'observing' };

async function resumeItem(item: Item, deps: StorefrontDeps): Promise<Outcome> {
  if (!item.event) return unreadable(item.unreadable);
  const { event } = item;
  if (event.kind !== 'redemption') return unreadable('it belongs on another queue');
  const shop = deps.shops.get(event.shop);
  if (!shop) return unreadable(SHOP_UNKNOWN);
  const record = openRedemptions({ shop: event.shop, customerId: event.customerId }, deps);
  const redemption = findRedemption(await record.read(), event.id);
  const work = { event, record, deps: { ...deps, ...shop }, by: 'worker' } as const;
  const outcome = await resume(work, redemption);
  if (deps.announcing && outcome.kind === 'handled') await announceOnce(record, event, deps);
  return outcome;
}

/** The customer has what they redeemed. */
const GIVEN: readonly RedemptionState['at'][] = ['ready', 'used', 'credited'];
/** An older one is sent by an operator, or found again after the ledger was lost. */
const NEWS_SECONDS = 86_400;

/** Recorded first, as every announcement. */
async function announceOnce(
  record: OpenRedemptions,
  { shop, customerId, id }: RedemptionEvent,
  deps: AnnouncingDeps,
): Promise<void> {
  const news = await record.change((found, now) => {
    const one = findRedemption(found, id);
    const isNews =
      one &&
      !one.told &&
      GIVEN.includes(one.state.at) &&
      secondsUntil(one.intendedAt, NEWS_SECONDS, now) > 0;
    if (!isNews) return { value: [] };
    const { title: reward, points } = one.terms;
    const what = 'reward-redeemed';
    const record = withRedemption(found, { ...one, told: true });
    const code = 'code' in one.state ? (one.state.code?.code ?? null) : null;
    return { record, value: [{ what, customerId, reward, points: String(points), code } as const] };
  });
  await announceAll(shop, news, deps);
}
