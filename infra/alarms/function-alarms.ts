import { Duration } from 'aws-cdk-lib';
import { type AlarmDefinition, AN_HOUR, reaching } from './alarm-definition.ts';
import { total } from './counted.ts';
import { type Watched, watchedFunctions } from './watched.ts';

/** What AWS says of the functions and of the table. */
export function functionAlarms(watched: Watched): AlarmDefinition[] {
  const { ledger } = watched;
  const functions = watchedFunctions(watched);
  const sum = { statistic: 'Sum', period: Duration.minutes(5) };
  const errors = functions.map(
    ([service, one]): AlarmDefinition => ({
      id: `function-errors-${service}`,
      heading: 'Function errors',
      urgency: 'now',
      says: `The function ${service} failed, ran out of memory or ran into its time-out.`,
      first: 'status',
      metric: one.metricErrors(sum),
      rings: reaching(1, { outOf: AN_HOUR }),
    }),
  );
  const throttles = functions.map(([, one]) => one.metricThrottles(sum));
  return [
    ...errors,
    {
      id: 'functions-throttled',
      heading: 'Functions throttled',
      urgency: 'now',
      says: 'AWS held functions back because the account has no concurrency left.',
      first: 'doctor',
      metric: total(throttles, 'throttled invocations'),
      rings: reaching(1, { times: 2, outOf: AN_HOUR }),
    },
    {
      id: 'ledger-throttled',
      heading: 'Ledger throttled',
      urgency: 'today',
      says: 'DynamoDB held reads or writes of the ledger back.',
      first: 'status',
      metric: total(ledgerThrottles(ledger), 'throttled requests'),
      rings: reaching(1, { times: 3, outOf: AN_HOUR }),
    },
  ];
}

/** The index has its own: thousands of codes of one discount are written under one key of it. */
function ledgerThrottles({ table, codesIndexName }: Watched['ledger']) {
  const sum = { statistic: 'Sum', period: Duration.minutes(5) };
  const index = { TableName: table.tableName, GlobalSecondaryIndexName: codesIndexName };
  return [
    table.metric('ReadThrottleEvents', { ...sum, label: 'reads' }),
    table.metric('WriteThrottleEvents', { ...sum, label: 'writes' }),
    table.metric('WriteThrottleEvents', { ...sum, dimensionsMap: index, label: 'index writes' }),
  ];
}
