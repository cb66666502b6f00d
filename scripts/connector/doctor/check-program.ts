import type { Shop } from '../../../shared/config/connector-config.ts';
import { batchesOf } from '../../../shared/core/batch/run-batch.ts';
import type { RewardTypes } from '../../../shared/core/redeem/find-offer.ts';
import type { ShopServices } from '../deployment/services.ts';
import { describeReward } from './describe-reward.ts';
import { about, type Finding, info, pass, warn } from './finding.ts';

const AT_ONCE = 5;
/** The service lists at most 50 on a page; a program with more is read no further. */
const MOST_REWARDS = 50;

/** Each active reward beside what the connector would make of it: only a person sees a wrong reading. */
export async function checkRewards(
  { domain }: Shop,
  loyalty: ReturnType<ShopServices['loyalty']>,
  rewardTypes: RewardTypes,
): Promise<readonly Finding[]> {
  const listed = await loyalty.listRewardConfigurations({ IsActive: true, PageSize: MOST_REWARDS });
  if (listed.kind !== 'success' && listed.kind !== 'warning') {
    return [info(`${domain}: not read; see the loyalty check above`)];
  }
  const active = (listed.value.Items ?? []).filter(({ IsActive }) => IsActive !== false);
  if (active.length === 0) return [info(`${domain}: the program has no active reward`)];
  const findings: Finding[] = [];
  for (const batch of batchesOf(active, AT_ONCE)) {
    findings.push(...(await Promise.all(batch.map(read))));
  }
  const more = listed.value.HasNextPage ? [info(`${domain}: more rewards are not shown`)] : [];
  return [...findings, ...more];

  async function read(item: (typeof active)[number]): Promise<Finding> {
    const { Id: id, Title: title = '' } = item;
    const named = `${domain}: "${title}" (reward ${id})`;
    const reward = { kind: 'reward', shop: domain, id, title } as const;
    const one = id === undefined ? undefined : await loyalty.getRewardConfiguration(id);
    if (one?.kind !== 'success' && one?.kind !== 'warning') {
      return about({ ...reward, becomes: undefined }, info(`${named}: not read`));
    }
    const becomes = describeReward(one.value, rewardTypes);
    const what = `${named}: ${becomes.text}`;
    const finding =
      becomes.kind === 'unknown-type'
        ? warn(what, 'If customers should redeem it, add its meaning to storefront.rewardTypes.')
        : info(what);
    return about({ ...reward, becomes }, finding);
  }
}

const SAMPLE = 5;
const DAYS = 7;
const DAY_MS = 86_400_000;

/** Reads a few orders that the store changed lately: the service says where it has each from. */
export async function checkOrigins(
  { domain }: Pick<Shop, 'domain'>,
  store: Pick<ShopServices['store'], 'changedOrders'>,
  loyalty: ReturnType<ShopServices['loyalty']>,
  now: Date,
): Promise<readonly Finding[]> {
  const until = now.getTime();
  const walked = await store.changedOrders(domain, { from: until - DAYS * DAY_MS, until });
  if (walked.kind !== 'found') return [info(`${domain}: not looked at; the store did not answer`)];
  const ids = walked.value.changed.slice(-SAMPLE).map(({ id }) => id);
  const orders = await Promise.all(ids.map((id) => loyalty.getOrder(id)));
  const held = orders.flatMap((order) =>
    order.kind === 'success' || order.kind === 'warning' ? [order.value.Origin] : [],
  );
  return [judgeOrigins(held)].map((finding) => ({
    ...finding,
    what: `${domain}: ${finding.what}`,
  }));
}

/** Documented: an integration that is built into the service. */
const BUILT_IN = 0;

/** `origins`: of the orders in the sample that the service holds. */
export function judgeOrigins(origins: readonly (number | undefined)[]): Finding {
  const sample = `of up to ${SAMPLE} orders of the last ${DAYS} days`;
  if (origins.length === 0) return info(`${sample} the service holds none`);
  const builtIn = origins.filter((origin) => origin === BUILT_IN).length;
  if (builtIn === 0) return pass(`${sample} the service holds ${origins.length}, none of Origin 0`);
  return warn(
    `${sample} the service holds ${origins.length}, ${builtIn} of Origin 0: an integration that is built into the service sends the same orders`,
    'Use one of the two: switch the integration off in the panel of the service, or do not run the connector.',
  );
}
