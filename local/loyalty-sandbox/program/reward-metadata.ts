import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { Context } from './context.ts';
import { fromHundredths } from './hundredths.ts';
import { knownFields } from './known-fields.ts';
import { describeFaults, done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';

/**
 * 7 no OriginalKey, or a body that cannot be read; 87 an unknown one. A pair that is there already is
 * not added again, so that the call may be repeated. Points do not change, so there is no event.
 */
export function updateRewardMetadata(
  { tables }: Context,
  call: Call,
): Outcome<components['schemas']['RewardMetadataResult']> {
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(7, unreadable);
  const faults = [...call.faults];
  const fields = readFields(call.body, faults);
  const OriginalKey = fields?.key('OriginalKey') ?? null;
  if (OriginalKey === null) return refuse(7, 'OriginalKey must be given.');
  const pairs = (fields?.list('Metadatas') ?? []).map((pair) => ({
    Name: pair.key('Name'),
    Value: pair.text('Value') ?? '',
  }));
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const redemption = tables.redemptions.get(OriginalKey);
  const record = redemption && tables.points.get(String(redemption.pointId));
  const coupon = redemption && tables.coupons.get(redemption.couponId);
  if (!redemption || !record || !coupon) return refuse(87, 'No reward has this OriginalKey.');

  const metadatas = [...record.metadatas];
  const known = new Set(metadatas.map(({ Name, Value }) => JSON.stringify([Name, Value])));
  for (const { Name, Value } of pairs) {
    if (Name === null) return refuse(7, 'Metadatas need a Name.');
    const pair = JSON.stringify([Name, Value]);
    if (!known.has(pair)) metadatas.push({ Name, Value });
    known.add(pair);
  }
  if (metadatas.length > record.metadatas.length) {
    tables.points.put(String(record.PointId), { ...record, metadatas });
  }
  return done({
    RewardId: redemption.RewardId,
    Point: {
      PointId: record.PointId,
      Quantity: fromHundredths(record.pointsHundredths),
      Metadatas: metadatas,
    },
    ExternalCode: coupon.CouponCode,
    OriginalKey,
    Coupon: knownFields({
      CouponCode: coupon.CouponCode,
      CouponType: coupon.CouponType,
      CouponValue: coupon.CouponValue,
      ValidDateStart: coupon.ValidDateStart,
      ValidDateEnd: coupon.ValidDateEnd,
    }),
  });
}
