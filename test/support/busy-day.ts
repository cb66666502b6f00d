import fc from 'fast-check';
import type { ActionName } from '../../local/store-sandbox/model/actions.ts';
import type { StoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { anyLife, live } from './any-store-life.ts';

/**
 * What happens in a busy store on one day, the same for the same day: orders of all kinds and their lives,
 * prices, discounts and codes. Some of it within one second.
 */
export function liveOneDay(
  store: StoreSandbox,
  day: number,
  passSeconds: (seconds: number) => void,
): void {
  const attempt = (name: ActionName, input: unknown): unknown => {
    passSeconds(day % 2 === 0 ? 0.4 : 97);
    try {
      return (store.actions[name] as (input: unknown) => unknown)(input);
    } catch {
      return undefined; // the store refuses what makes no sense
    }
  };
  for (let i = 0; i < 15; i += 1) attempt('placeRandomOrder', {});
  const lives = fc.sample(anyLife, { seed: 40 + day, numRuns: 6 });
  for (const steps of lives) live({ rows: store.rows, attempt }, steps);
  const codes = [`DAY-${day}-A`, `DAY-${day}-B`, `DAY-${day}-C`];
  const discount = store.actions.createDiscount({ title: `Day ${day}`, percentage: 5, codes });
  const [older] = [...store.rows.discounts.values()].filter(({ method }) => method === 'code');
  passSeconds(60);
  attempt('updateDiscount', { discountId: older?.id, title: `Changed on day ${day}` });
  attempt('addCodes', { discountId: discount.id, codes: [`DAY-${day}-D`] });
  attempt('removeCodes', { discountId: discount.id, codes: [`DAY-${day}-B`] });
  attempt('createProduct', { title: `New on day ${day}`, price: 12.5 });
}
