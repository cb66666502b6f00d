import type { CustomerWork } from '../balances/sort-out-messages.ts';
import type { Outcome } from '../batch/outcome.ts';
import { correlationOf, errorFields, type Telemetry } from '../batch/telemetry.ts';
import { noticeSpending, type SpendingWorld } from './notice-spending.ts';

/**
 * Every event counts here, also one whose balance is an older one. Gives the customers of whom nothing
 * is left to tell; of the others, `ended` says that their messages come back. Never rejects.
 */
export async function tellRedemptions(
  works: readonly CustomerWork[],
  ended: Map<CustomerWork, Outcome>,
  world: SpendingWorld & { readonly telemetry: Telemetry },
): Promise<readonly CustomerWork[]> {
  await Promise.all(
    works.map(async (work) => {
      try {
        for (const { event } of work.messages) await noticeSpending(event, world);
      } catch (error) {
        world.telemetry.log('error', 'a redemption could not be told of its points', {
          ...correlationOf(work.newest),
          ...errorFields(error),
        });
        ended.set(work, { kind: 'retry', why: 'redemptions-unavailable' });
      }
    }),
  );
  return works.filter((work) => !ended.has(work));
}
