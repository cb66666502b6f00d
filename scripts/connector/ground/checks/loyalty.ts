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
    const asked = sample.map(async ({ id, value }) => {
      const ids = [id, ...(value ? otherIds(value, shop.otherOrderIds) : [])];
      return Promise.all(ids.map((one) => client.getOrder(one)));
    });
    const orders = await Promise.all(asked);
    const failed = orders.flat().find((order) => !('value' in order || isAbsent(order)));
    if (failed && 'class' in failed) return [unknown(unanswered(failed))];
    const held = orders.flat().flatMap((one) => ('value' in one ? [one.value.Origin] : []));
    const absent = sample.filter((_, at) => !orders[at]?.some((one) => 'value' in one));
    const next = absent.map(({ id, value }) => ({
      label: `See why it does not have ${value?.name ?? id}`,
      line: line('trace', ['order', id], { shop: shop.domain }),
    }));
    return [{ ...judgeOrigins(held, sample.length), ...(next.length > 0 && { next }) }];
  });
}

/** Documented: an integration that is built into the service. */
const BUILT_IN = 0;

function judgeOrigins(origins: readonly (number | undefined)[], many: number): Finding {
  const sample = `of the last ${counted(many, 'order')} in the store, the service holds`;
  if (origins.length === 0) return info(`${sample} none`);
  const builtIn = origins.filter((origin) => origin === BUILT_IN).length;
  // What is missing may be waiting, or was refused: no fault of the set-up.
  const judged = origins.length < many ? info : pass;
  if (builtIn === 0)
    return judged(`${sample} ${origins.length}, none from a built-in integration (Origin 0)`);
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
    const meant = active.map((one) => ({ ...one, as: rewardTypes[one.RewardType ?? -1] }));
    const known = meant.flatMap(({ Title, Value, as }) =>
      as ? `"${Title}" (${[as, Value || ''].join(' ').trim()})` : [],
    );
    return [
      ...(known[0] ? [info(`${known.length} active: ${known.join(', ')}`)] : []),
      ...meant.flatMap(({ Id, Title, RewardType: type, as }) => {
        const shown = `"${Title}" (reward ${Id}): shown, not redeemable`;
        const absent = `RewardType ${type ?? 'absent'} is not in storefront.rewardTypes`;
        const fix = 'If customers should redeem it, add its meaning to storefront.rewardTypes.';
        return as ? [] : warn(`${shown}: ${absent}`, fix);
      }),
    ];
  });
}
