import { errorFields } from '../batch/telemetry.ts';
import { applyStep, type OpenBook, openBook } from './open-book.ts';
import type { RedeemWorld, RedemptionList } from './redeem-world.ts';
import type { Redemption } from './redemption.ts';
import { viewOf } from './redemption-view.ts';

const MOST_LISTED = 20;
const MOST_ASKED = 50;

export type ListWorld = Pick<RedeemWorld, 'ledger' | 'store' | 'telemetry' | 'now'> & {
  readonly settings: Pick<RedeemWorld['settings'], 'retentionDays'>;
};

/** A customer's redemptions, the newest first. */
export async function listRedemptions(
  shop: string,
  customerId: string,
  world: ListWorld,
): Promise<RedemptionList> {
  const { retentionDays } = world.settings;
  const book = openBook({ shop, customerId }, { ...world, retentionDays });
  try {
    const redemptions = await readUsed(book, world);
    const views = redemptions.toReversed().flatMap((one) => viewOf(one) ?? []);
    return { kind: 'redemptions', redemptions: views.slice(0, MOST_LISTED) };
  } catch (error) {
    world.telemetry.log('error', 'redemptions could not be read', {
      ...{ shop, customerId },
      ...errorFields(error),
    });
    return { kind: 'unavailable' };
  }
}

/**
 * No event says that a code was used, and no order is searched for it: the store counts the uses of
 * every code, and is asked when the list is shown. Without an answer, the codes count as unused.
 */
export async function readUsed(
  book: OpenBook,
  { store, telemetry }: Pick<ListWorld, 'store' | 'telemetry'>,
): Promise<readonly Redemption[]> {
  const { redemptions } = await book.read();
  const discounts = redemptions.flatMap(({ state }) =>
    state.at === 'ready' ? [state.discountId] : [],
  );
  if (discounts.length === 0) return redemptions;
  const read = await store.readUses(book.customer.shop, discounts.slice(-MOST_ASKED));
  if (read.kind === 'unavailable') {
    telemetry.log('warn', 'the store did not say which codes were used', { why: read.why });
    return redemptions;
  }
  const now: Redemption[] = [];
  for (const one of redemptions) {
    const { state } = one;
    const isUsed = state.at === 'ready' && (read.uses.get(state.discountId) ?? 0) > 0;
    now.push((isUsed && (await applyStep(book, one.id, { kind: 'use' }))) || one);
  }
  return now;
}
