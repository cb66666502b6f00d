import type { Bench } from '../bench.ts';
import { compareColdStarts, compareWarm } from '../measure/compare-variants.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import { customerItem, visitEvent } from '../traffic/visits.ts';

/** Fewer visits of one customer than the storefront allows in a minute. */
const CUSTOMERS = 50;

/** The time to answer a shopper's `GET me`: the balance of the ledger, confirmed by the loyalty service. */
export const storefront: Bench = {
  name: 'storefront',
  async run({ lab: open, quick }) {
    const lab = await open();
    const customers = Array.from({ length: CUSTOMERS }, (_, index) => String(7_000_000 + index));
    await Promise.all(customers.map((id) => lab.endpoints.put(customerItem(id))));
    const cold = await compareColdStarts(lab, 'storefront', {
      runs: quick ? 5 : 25,
      limit: 1.65,
      event: 'a visit',
      eventOf: () => visitEvent('7000000'),
    });
    const rounds = quick ? 5 : 15;
    const processes = await startWarmVariants(lab, 'storefront');
    try {
      const warm = await compareWarm(processes, {
        ...{ key: 'storefront.cpu', quick, rounds, perRound: CUSTOMERS, limit: 1.5 },
        note: `${rounds} rounds of ${CUSTOMERS} visits`,
        eventsOf: () => customers.map(visitEvent),
      });
      return [...cold, warm];
    } finally {
      await processes.stop();
    }
  },
};
