import type { Telemetry } from '../../core/events/telemetry.ts';
import type { RedemptionView } from '../../store/storefront-answers.gen.ts';
import { type Redemption, viewOf } from './redemption.ts';
import { applyStep, type OpenRedemptions } from './redemption-record.ts';
import type { RewardStore } from './reward-store.ts';
import { type TakeBackRule, type TakenBackBy, takeBackUntil } from './take-back.ts';

const MOST_LISTED = 20;
const MOST_ASKED = 50;

interface UsesDeps {
  readonly store: Pick<RewardStore, 'readUses'>;
  readonly telemetry: Telemetry;
}

/** As the customer sees them, the newest first. */
export async function listRedemptions(
  redemptions: readonly Redemption[],
  record: OpenRedemptions,
  by: TakenBackBy,
  deps: UsesDeps & { readonly now: () => Date; readonly takeBack: TakeBackRule },
): Promise<readonly RedemptionView[]> {
  const known = await readUsed(redemptions, record, deps);
  const now = deps.now();
  const views = known
    .toReversed()
    .flatMap((one) => viewOf(one, takeBackUntil(one, by, deps.takeBack, now)) ?? []);
  return views.slice(0, MOST_LISTED).map((view) => asOfNow(view, now));
}

/** The store takes a code until its end. */
function asOfNow(view: RedemptionView, now: Date): RedemptionView {
  const { state, validUntil } = view;
  const isOver = validUntil !== null && Date.parse(validUntil) <= now.getTime();
  return state === 'ready' && isOver ? { ...view, state: 'expired' } : view;
}

/**
 * An order that names a code marks it as used. Where its event was lost, the store's count of uses says it:
 * the store is asked for codes that count as unused. Without an answer, they stay unused.
 */
export async function readUsed(
  redemptions: readonly Redemption[],
  record: OpenRedemptions,
  { store, telemetry }: UsesDeps,
): Promise<readonly Redemption[]> {
  const discounts = redemptions.flatMap(({ state }) =>
    state.at === 'ready' ? [state.discountId] : [],
  );
  if (discounts.length === 0) return redemptions;
  const read = await store.readUses(record.customer.shop, discounts.slice(-MOST_ASKED));
  if (read.kind === 'unavailable') {
    telemetry.log('warn', 'the store did not say which codes were used', { why: read.why });
    return redemptions;
  }
  const now: Redemption[] = [];
  for (const one of redemptions) {
    const { state } = one;
    const isUsed = state.at === 'ready' && (read.uses.get(state.discountId) ?? 0) > 0;
    now.push((isUsed && (await applyStep(record, one.id, { kind: 'use' }))) || one);
  }
  return now;
}
