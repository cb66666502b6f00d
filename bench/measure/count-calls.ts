import type { SQSEvent } from 'aws-lambda';
import type { EndpointsReport } from '../endpoints/endpoints.ts';
import type { Lab } from '../lab.ts';
import type { Variant } from '../variants/build-variants.ts';
import type { RoundMeasure, WarmVariants } from './warm-function.ts';

export interface CountedRound extends RoundMeasure, Pick<EndpointsReport, 'calls' | 'units'> {}

/** A round with the calls that the endpoints received. */
export async function countRound(
  { endpoints }: Pick<Lab, 'endpoints'>,
  processes: WarmVariants,
  variant: Variant,
  events: readonly unknown[],
): Promise<CountedRound> {
  await endpoints.ask();
  const measure = await processes.round(variant, events);
  const { calls, units } = await endpoints.ask();
  return { ...measure, calls, units };
}

const READS: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem']);
const WRITES: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem']);

export function sumCalls(calls: EndpointsReport['calls']) {
  const sum = (counts: (name: string) => boolean) =>
    Object.entries(calls).reduce((total, [name, count]) => total + (counts(name) ? count : 0), 0);
  return {
    aws: sum((name) => name !== 'loyalty'),
    reads: sum((name) => READS.has(name)),
    writes: sum((name) => WRITES.has(name)),
    loyalty: sum((name) => name === 'loyalty'),
  };
}

export const recordsIn = (batches: readonly SQSEvent[]): number =>
  batches.reduce((sum, { Records }) => sum + Records.length, 0);
