import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { Context } from './context.ts';
import { describeFaults, done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';
import { describeRedemption, findRedemption } from './redemptions.ts';

/**
 * 7 no OriginalKey, or a body that cannot be read; 87 an unknown one. A pair that is there already is
 * not added again, so that the call may be repeated. Points do not change, so there is no event.
 */
export function updateRewardMetadata(
  context: Context,
  call: Call,
): Outcome<components['schemas']['RewardMetadataResult']> {
  const { tables } = context;
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
  const redemption = findRedemption(context, OriginalKey);
  const record = redemption && tables.points.get(String(redemption.pointId));
  if (!redemption || !record) return refuse(87, 'No reward has this OriginalKey.');

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
  return done(describeRedemption(context, redemption));
}
