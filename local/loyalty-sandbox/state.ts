import { fromHundredths } from './program/hundredths.ts';
import { balanceOf } from './program/points.ts';
import { tierOf } from './program/tiers.ts';
import type { Service } from './service.ts';

/** Everything the sandbox knows at this moment, apart from the calls in the journal. */
export type State = ReturnType<typeof describeState>;

export function describeState({ parts, journal, faults, events }: Service) {
  const { context } = parts;
  const { tables } = context;
  return {
    customers: [...tables.customers.values()].map((customer) => {
      const balance = balanceOf(context, customer.OriginalId);
      const { id, name, color } = tierOf(context, customer.OriginalId);
      return {
        ...customer,
        points: fromHundredths(balance.points),
        cashback: fromHundredths(balance.cashback),
        tier: { id, name, color },
      };
    }),
    orders: [...tables.orders.values()].map((order) => ({
      ...order,
      points: pointsOf(order.pointId),
    })),
    coupons: [...tables.coupons.values()],
    products: [...tables.products.values()],
    redemptions: [...tables.redemptions.values()].map((redemption) => ({
      ...redemption,
      rewardTitle: rewardTitle(redemption.configurationId),
      couponCode: tables.coupons.get(redemption.couponId ?? '')?.CouponCode ?? null,
      points: pointsOf(redemption.pointId),
    })),
    challenges: [...tables.challenges.values()],
    points: [...tables.points.values()].map(
      ({ pointsHundredths, cashbackHundredths, origins, ...point }) => ({
        ...point,
        points: fromHundredths(pointsHundredths),
        cashback: fromHundredths(cashbackHundredths),
        origins: origins.map(({ PointId, usedPointsHundredths, usedCashbackHundredths }) => ({
          PointId,
          usedPoints: fromHundredths(usedPointsHundredths),
          usedCashback: fromHundredths(usedCashbackHundredths),
        })),
      }),
    ),
    subscriptions: parts.subscriptions.all(),
    events: events.all(),
    faults: faults.list(),
    journal: { entries: journal.size, dropped: journal.dropped },
  };

  function pointsOf(pointId: number | null): number {
    const row = pointId === null ? undefined : tables.points.get(String(pointId));
    return fromHundredths(row?.pointsHundredths ?? 0);
  }

  function rewardTitle(configurationId: number): string | null {
    return context.catalog.rewards.find(({ id }) => id === configurationId)?.title ?? null;
  }
}
