import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';

export interface AlarmDefinition {
  /** Follows the name of the stack in the alarm's name: `dead-letters-orders`. */
  readonly id: string;
  /** The heading in docs/runbook.md; alarms about the same problem share one. */
  readonly heading: string;
  /** `now`: points are being lost or delayed. `today`: a person must act, but not at night. */
  readonly urgency: 'now' | 'today';
  /** One sentence for the e-mail: what happened. */
  readonly message: string;
  /** The command to run first, without `npx loyalty-connector`. */
  readonly command: string;
  readonly metric: IMetric;
  readonly condition: Condition;
  /** Which setting of `deployment.monitoring` has it. Default: `full`. */
  readonly level?: 'full' | 'basic' | 'both';
}

interface Condition {
  readonly threshold: number;
  readonly comparisonOperator: ComparisonOperator;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: TreatMissingData;
  /** False for an alarm about a single event, which has no recovery. */
  readonly notifyOnRecovery: boolean;
}

interface ConditionOptions {
  readonly times: number;
  /** Default: as many as `times`. */
  readonly outOf: number;
  readonly notifyOnRecovery: boolean;
}

/**
 * The metric is at or above the threshold in `times` of the last `outOf` periods. Missing data is
 * fine: most metrics are written only when there is something to count.
 */
export function atLeast(
  threshold: number,
  { times = 1, outOf, notifyOnRecovery = true }: Partial<ConditionOptions> = {},
): Condition {
  return {
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: outOf ?? times,
    datapointsToAlarm: times,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    notifyOnRecovery,
  };
}

/** The metric is zero or missing in each of the last periods. */
export function absent(periods: number): Condition {
  return {
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: periods,
    treatMissingData: TreatMissingData.BREACHING,
    notifyOnRecovery: true,
  };
}

/** Periods of five minutes: the alarm recovers only after an hour without the problem. */
export const ONE_HOUR = 12;
