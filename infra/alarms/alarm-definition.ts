import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';

/** One alarm, as data. Its words go into the mail that wakes somebody up. */
export interface AlarmDefinition {
  /** What it is called behind the name of the stack: `dead-letters-orders`. */
  readonly id: string;
  /** The heading in docs/runbook.md; alarms about the same trouble share one. */
  readonly heading: string;
  /** `now`: points are being lost or delayed. `today`: somebody must act, but not at night. */
  readonly urgency: 'now' | 'today';
  /** One plain sentence. */
  readonly says: string;
  /** The command to run first, without `npx connector`. */
  readonly first: string;
  readonly metric: IMetric;
  readonly rings: Ringing;
}

export interface Ringing {
  readonly threshold: number;
  readonly comparisonOperator: ComparisonOperator;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: TreatMissingData;
  /** Whether the end of the trouble is told too. What is an event and not a state has none. */
  readonly tellsEnd: boolean;
}

interface Repetition {
  readonly times: number;
  /** Default: as many as `times`. */
  readonly outOf: number;
  readonly tellsEnd: boolean;
  /** The threshold itself is still well. */
  readonly above: boolean;
}

/**
 * At or above the threshold in so many of the last periods. Nothing written means that nothing
 * happened: most figures are written only when there is something to count.
 */
export function reaching(
  threshold: number,
  { times = 1, outOf, tellsEnd = true, above = false }: Partial<Repetition> = {},
): Ringing {
  return {
    threshold,
    comparisonOperator: above
      ? ComparisonOperator.GREATER_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: outOf ?? times,
    datapointsToAlarm: times,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    tellsEnd,
  };
}

/** Below one in each of the last periods, and nothing written is the worst of it. */
export function missing(periods: number): Ringing {
  return {
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: periods,
    treatMissingData: TreatMissingData.BREACHING,
    tellsEnd: true,
  };
}

/** Five-minute periods: rings within minutes, and not again before an hour without it has passed. */
export const AN_HOUR = 12;
