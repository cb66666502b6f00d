import { readFileSync, writeFileSync } from 'node:fs';
import { synthesizeStack } from './synthesized-stack.ts';
import { alarmsOf, type NamedAlarm } from './watched-metrics.ts';

/** Every alarm that a setting can deploy, those of basic monitoring last. */
export const ALL_ALARMS: readonly NamedAlarm[] = [
  synthesizeStack({
    alarms: { orderSilence: { hours: 4, opens: 9, closes: 21, timeZone: 'Europe/Lisbon' } },
    storefront: {},
  }),
  synthesizeStack({ deployment: { monitoring: 'basic' } }),
].flatMap(alarmsOf);

export const headingOf = ({ description }: NamedAlarm): string =>
  /\nThen: docs\/runbook\.md, "(.+)"$/.exec(description)?.[1] ?? '';

/** What of CloudWatch's e-mail differs from alarm to alarm, under the names that it has there. */
function mailOf({ name, description, properties }: NamedAlarm): string {
  const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm } = properties;
  const text = description.replaceAll('{AWS::Region}', 'eu-west-1');
  return [
    `Subject: ALARM: "${name}" in EU (Ireland)`,
    '',
    `- Description: ${text}`,
    `- Threshold: the metric is ${ComparisonOperator} ${Threshold} for at least ${DatapointsToAlarm} of the last ${EvaluationPeriods} periods`,
  ].join('\n');
}

/** The runbook with the e-mail of the alarms under each heading; of alarms that share one, the first. */
export function putMails(runbook: string): string {
  return runbook.replaceAll(
    /^### (.+)\n\n(?:```text\n[^`]*```\n\n(?:The same for .*\n\n)?)?(?=\*\*What it means)/gm,
    (_, heading: string) => {
      const [first, ...others] = ALL_ALARMS.filter((alarm) => headingOf(alarm) === heading);
      const mail = first ? `\`\`\`text\n${mailOf(first)}\n\`\`\`\n\n` : '';
      const names = [...new Set(others.map(({ name }) => name))].filter(
        (name) => name !== first?.name,
      );
      const same = names
        .map((name) => `\`${name.replace('loyalty-connector-prod-', '')}\``)
        .join(', ');
      return `### ${heading}\n\n${mail}${same && `The same for ${same}.\n\n`}`;
    },
  );
}

// `node test/support/alarm-mails.ts` writes them after a change of an alarm.
if (import.meta.main) {
  writeFileSync('docs/runbook.md', putMails(readFileSync('docs/runbook.md', 'utf8')));
}
