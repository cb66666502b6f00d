import type { Bench, BenchSettings, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { measureAlternately } from '../measure/measure-alternately.ts';
import { measureCold } from '../measure/measure-cold.ts';
import { measureInLambda } from '../measure/measure-in-lambda.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import { compareWithFloor } from '../report/statistics.ts';
import { customerItem, visitEvent } from '../traffic/visits.ts';

/** Fewer visits of one customer than the storefront allows in a minute. */
const CUSTOMERS = 50;
const MEASURED = ['connector', 'floor'] as const;

/** The time to answer a shopper's `GET me`: the balance of the ledger, confirmed by the loyalty service. */
export const storefront: Bench = {
  name: 'storefront',
  async run(settings) {
    const lab = await settings.lab();
    const customers = Array.from({ length: CUSTOMERS }, (_, index) => String(7_000_000 + index));
    await Promise.all(customers.map((id) => lab.endpoints.put(customerItem(id))));
    return [...(await cold(lab, settings)), await warm(lab, customers, settings)];
  },
};

async function cold(lab: Lab, { quick }: BenchSettings): Promise<readonly Figure[]> {
  const { bundles, environment, tlsEnvironment } = lab;
  const runs = quick ? 5 : 25;
  const visit = visitEvent('7000000');
  const samples = await measureAlternately(
    runs,
    (variant) => measureCold(bundles.fileOf(variant, 'storefront'), visit, environment),
    MEASURED,
  );
  const part = { unit: 'ms', note: `${runs} fresh processes each` };
  return [
    compareWithFloor(
      { key: 'storefront.cold', ...part, bar: { kind: 'at-most', limit: 1.6, of: 'ratio' } },
      samples,
      ({ importMs, firstMs }) => importMs + firstMs,
    ),
    compareWithFloor({ key: 'storefront.cold.cpu', ...part }, samples, ({ cpuMs }) => cpuMs),
    compareWithFloor(
      { key: 'storefront.cold.lambda', ...part },
      await measureAlternately(
        runs,
        (variant) => measureInLambda(bundles.fileOf(variant, 'storefront'), visit, tlsEnvironment),
        MEASURED,
      ),
      ({ wallMs }) => wallMs,
    ),
  ];
}

async function warm(
  lab: Lab,
  customers: readonly string[],
  { quick }: BenchSettings,
): Promise<Figure> {
  const rounds = quick ? 5 : 15;
  const processes = await startWarmVariants(lab, 'storefront', MEASURED);
  const round = (variant: (typeof MEASURED)[number]) =>
    processes.round(variant, customers.map(visitEvent));
  try {
    await measureAlternately(quick ? 1 : 3, round, MEASURED);
    const samples = await measureAlternately(rounds, round, MEASURED);
    return compareWithFloor(
      {
        key: 'storefront.cpu',
        unit: 'ms CPU',
        note: `${rounds} rounds of ${CUSTOMERS} visits`,
        bar: { kind: 'at-most', limit: 1.5, of: 'ratio' },
      },
      samples,
      ({ cpuMs }) => cpuMs / CUSTOMERS,
    );
  } finally {
    await processes.stop();
  }
}
