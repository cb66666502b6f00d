import type { PricedStack } from './describe-stack.ts';
import { PRICES } from './prices.ts';

const SECONDS_PER_DAY = 86_400;
/** Lambda, "Throttling function URLs": at most ten requests a second for each unit of concurrency. */
const REQUESTS_PER_CONCURRENCY = 10;
/** What a request with a wrong signature writes; one to an unknown path writes nothing. */
const LOG_KB = 0.3;

/**
 * What a day of refused requests costs at most, in US dollars: the receiver never idle, and as many
 * requests as Lambda lets through. What it turns away costs nothing.
 */
export function floodCostPerDay({ receiverMb }: PricedStack, concurrency: number): number {
  const { lambda, cloudWatch } = PRICES;
  const requests = concurrency * REQUESTS_PER_CONCURRENCY * SECONDS_PER_DAY;
  const gbSeconds = concurrency * SECONDS_PER_DAY * (receiverMb / 1024);
  const logGb = (requests * LOG_KB) / 1_000_000;
  return (
    requests * lambda.perRequest + gbSeconds * lambda.perGbSecondArm + logGb * cloudWatch.logPerGb
  );
}

const LIMITS = [
  { concurrency: 10, is: 'a reservation of 10, or a new account with a quota of 10' },
  { concurrency: 50, is: 'a reservation of 50, which `deploy` makes where the quota allows it' },
  { concurrency: 1_000, is: 'no reservation, and the usual quota of 1000' },
];

/** Markdown: the bound by what limits the receiver. */
export function floodTable(stack: PricedStack): string {
  return [
    '| what limits the receiver | requests a second, at most | US dollars a day, at most |',
    '|---|---:|---:|',
    ...LIMITS.map(({ concurrency, is }) => {
      const dollars = floodCostPerDay(stack, concurrency).toFixed(2);
      return `| ${is} | ${concurrency * REQUESTS_PER_CONCURRENCY} | ${dollars} |`;
    }),
  ].join('\n');
}
