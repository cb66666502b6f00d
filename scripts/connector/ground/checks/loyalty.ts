import { isAbsent, otherIds } from '../../../../shared/core/sync/held-order.ts';
import type { RewardTypes } from '../../../../shared/rewards/redeem/find-offer.ts';
import { line } from '../terminal/line.ts';
import { counted } from '../terminal/text.ts';
import {
  type Check,
  type Finding,
  fail,
  info,
  pass,
  type ShopDeps,
  shopCheck,
  unknown,
  warn,
} from './check.ts';

/** Uses the most harmless operation of the contract: one entry of the list of rewards. */
export function loyaltyCheck({ shops, services }: ShopDeps): Check {
  return shopCheck('loyalty', ['loyalty secret'], shops, async (shop) => {
    const result = await services().loyalty(shop).listRewardConfigurations({ PageSize: 1 });
    if (result.kind === 'success' || result.kind === 'warning') {
      return [pass('the loyalty service accepts the credentials')];
    }
    const what = unanswered(result);
    switch (result.class) {
      case 'misconfigured':
        return [
          {
            ...fail(what, {
              label: 'Set the credentials of the loyalty service',
              line: line('secrets set', ['loyalty'], { shop: shop.domain }),
            }),
            lacks: ['loyalty credentials'],
          },
        ];
      case 'throttled':
        return [warn(what, 'Nothing to do: workers slow down automatically.')];
      default:
        return [unknown(what, 'Workers retry. If it lasts, ask the operator of the service.')];
    }
  });
}

const REFUSES: Readonly<Record<string, string>> = {
  misconfigured: 'refuses the credentials or the address',
  throttled: 'asks for fewer calls',
};

function unanswered(result: { readonly class: string; readonly message: string }): string {
  const does = REFUSES[result.class] ?? 'did not answer as expected';
  return `the loyalty service ${does} (${result.message.replace(/\.$/, '')})`;
}

const DAY_MS = 86_400_000;
const SAMPLE = 5;
const DAYS = 7;

/** Reads a few orders that the store changed lately: the service says where it has each from. */
export function orderOriginCheck({ shops, services }: ShopDeps, now = new Date()): Check {
  return shopCheck('order origin', ['Admin API', 'loyalty'], shops, async (shop) => {
    const { store, loyalty } = services();
    const until = now.getTime();
    const range = { from: until - DAYS * DAY_MS, until };
    const changed = await store.changedOrders(shop.domain, range);
    if (changed.kind !== 'found') return [unknown('the orders of the store could not be read')];
    const sample = changed.value.changed.slice(-SAMPLE);
    if (sample.length === 0) return [info(`no order changed in the last ${DAYS} days`)];
    const client = loyalty(shop);
    const ids = sample.flatMap(({ id, value }) => [
      id,
      ...(value ? otherIds(value, shop.otherOrderIds) : []),
    ]);
    const orders = await Promise.all(ids.map((id) => client.getOrder(id)));
    const held = orders.flatMap((order) =>
      order.kind === 'success' || order.kind === 'warning' ? [order.value.Origin] : [],
    );
    const failed = orders.find((order) => !('value' in order || isAbsent(order)));
    return failed && 'class' in failed
      ? [unknown(unanswered(failed))]
      : [judgeOrigins(held, sample.length)];
  });
}

/** Documented: an integration that is built into the service. */
const BUILT_IN = 0;

function judgeOrigins(origins: readonly (number | undefined)[], many: number): Finding {
  const sample = `of the last ${counted(many, 'order')} in the store, the service holds`;
  if (origins.length === 0) return info(`${sample} none`);
  const builtIn = origins.filter((origin) => origin === BUILT_IN).length;
  if (builtIn === 0) return pass(`${sample} ${origins.length}, none with Origin 0`);
  return warn(
    `${sample} ${origins.length}, ${builtIn} with Origin 0: an integration built into the service sends the same orders`,
    'Use one of the two: switch the integration off in the panel of the service, or do not run the connector.',
  );
}

/** The service lists at most 50 on a page; a program with more is read no further. */
const MOST_REWARDS = 50;

/** Each active reward beside what the settings say of its type: only a person sees a wrong reading. */
export function rewardsCheck({ shops, services }: ShopDeps, rewardTypes: RewardTypes): Check {
  return shopCheck('rewards', ['loyalty'], shops, async (shop) => {
    const asked = { IsActive: true, PageSize: MOST_REWARDS };
    const listed = await services().loyalty(shop).listRewardConfigurations(asked);
    if (!('value' in listed)) return [unknown(unanswered(listed))];
    const active = (listed.value.Items ?? []).filter(({ IsActive }) => IsActive !== false);
    if (active.length === 0) return [info('the program has no active reward')];
    return active.map(({ Id, Title, RewardType: type, Value }) => {
      const named = `"${Title}" (reward ${Id})`;
      const meaning = rewardTypes[type ?? -1];
      if (meaning) return info(`${named}: ${meaning}, value ${Value ?? 'absent'}`);
      return warn(
        `${named}: shown, not redeemable: RewardType ${type ?? 'absent'} is not in storefront.rewardTypes`,
        'If customers should redeem it, add its meaning to storefront.rewardTypes.',
      );
    });
  });
}
