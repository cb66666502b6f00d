import type { RedeemAnswer } from './redeem-world.ts';
import type { Redemption } from './redemption.ts';
import { viewOf } from './redemption-view.ts';

/** What a click on it is told; undefined is one that is no longer there. */
export function answerOf(redemption: Redemption | undefined): RedeemAnswer {
  const view = redemption && viewOf(redemption);
  if (view) return { kind: 'redemption', redemption: view };
  if (redemption?.state.at !== 'refused') return { kind: 'unavailable' };
  const { why } = redemption.state;
  return { kind: 'refused', why: why === 'did-not-happen' ? 'refused' : why };
}
