import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { CatalogReward } from '../catalog.ts';
import { rewardType } from './assigned-numbers.ts';
import type { Context } from './context.ts';
import type { Page } from './envelopes.ts';
import { describeFaults, done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';
import { describeRedemption, findRedemption } from './redemptions.ts';
import { describeReward } from './reward-view.ts';

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

type Schemas = components['schemas'];

const largestPage = 50;
const largestInt32 = 2_147_483_647;

/**
 * 45 for a page size above 50 and for a page that is not a number from 1 up; 43 for an IsActive that
 * is neither true nor false. Pages count from 1; a page behind the last one is empty.
 */
export function listRewardConfigurations(
  { catalog, settings }: Context,
  { query }: Call,
): Outcome<Page<Schemas['RewardConfigurationItem']>> {
  const isActive = readFlag(query.IsActive);
  if (isActive === 'unreadable') return refuse(43, 'IsActive must be true or false.');
  const size = readCount(query.PageSize, settings.defaultPageSize);
  const number = readCount(query.PageNumber, 1);
  if (size === null || size > largestPage) {
    return refuse(45, `PageSize must be from 1 to ${largestPage}.`);
  }
  if (number === null) return refuse(45, 'PageNumber must be from 1 up.');
  const selected = catalog.rewards.filter((reward) => {
    if (isActive === 'true') return reward.isActive;
    if (isActive === 'false' && settings.isActiveFalseLists === 'inactive') return !reward.isActive;
    return true;
  });
  const start = (number - 1) * size;
  return done({
    items: selected.slice(start, start + size).map(summarize),
    total: selected.length,
    size,
    number,
  });
}

/** 44 for an unknown configuration. */
export function getRewardConfiguration(
  context: Context,
  call: Call,
): Outcome<Schemas['RewardConfiguration']> {
  const reward = findReward(context, call);
  return reward
    ? done(describeReward(context, reward, null))
    : refuse(44, 'No reward configuration has this id.');
}

export function findReward({ catalog }: Context, { path }: Call): CatalogReward | undefined {
  const id = readCount(path.id, 0);
  return catalog.rewards.find((reward) => reward.id === id);
}

function summarize(reward: CatalogReward): Schemas['RewardConfigurationItem'] {
  return {
    Id: reward.id,
    Title: reward.title,
    Description: reward.description,
    IsActive: reward.isActive,
    Value: reward.value,
    Points: reward.points,
    RewardType: rewardType[reward.kind],
  };
}

/** A query has no null: nothing, an empty text and the word are taken for it. */
function isAbsent(text: string | undefined): text is undefined {
  return text === undefined || text === '' || text === 'null';
}

export function readFlag(text: string | undefined): 'true' | 'false' | 'absent' | 'unreadable' {
  if (isAbsent(text)) return 'absent';
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? word : 'unreadable';
}

export function readCount(text: string | undefined, absent: number): number | null {
  if (isAbsent(text)) return absent;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= largestInt32 ? count : null;
}
