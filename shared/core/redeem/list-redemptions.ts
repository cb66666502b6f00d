import {
  asOfNow,
  type Redemption,
  type RedemptionView,
  viewOf,
} from '../redemptions/redemption.ts';
import { applyStep, type OpenBook } from '../redemptions/redemption-record.ts';
import type { RedeemWorld } from './dependencies.ts';

const MOST_LISTED = 20;
const MOST_ASKED = 50;

export type UsesWorld = Pick<RedeemWorld, 'telemetry'> & {
  readonly store: Pick<RedeemWorld['store'], 'readUses'>;
};

/** What is in the book, as the customer sees it: the newest first. */
export async function listRedemptions(
  redemptions: readonly Redemption[],
  book: OpenBook,
  world: UsesWorld & Pick<RedeemWorld, 'now'>,
): Promise<readonly RedemptionView[]> {
  const known = await readUsed(redemptions, book, world);
  const views = known.toReversed().flatMap((one) => viewOf(one) ?? []);
  const now = world.now();
  return views.slice(0, MOST_LISTED).map((view) => asOfNow(view, now));
}

/**
 * An order that names a code marks it as used. Where its event was lost, the store's count of uses says it:
 * the store is asked for codes that count as unused. Without an answer, they stay unused.
 */
export async function readUsed(
  redemptions: readonly Redemption[],
  book: OpenBook,
  { store, telemetry }: UsesWorld,
): Promise<readonly Redemption[]> {
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
