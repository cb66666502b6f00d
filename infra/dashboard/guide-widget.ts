import { Stack } from 'aws-cdk-lib';
import { TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from '../alarms/alarm-definition.ts';

/** What to type, by what is red above. */
export function guideWidget(scope: Construct, alarms: readonly AlarmDefinition[]): TextWidget {
  const { stackName, region } = Stack.of(scope);
  const byHeading = new Map(alarms.map((alarm) => [alarm.heading, alarm]));
  const rows = [...byHeading].map(
    ([heading, { first, says }]) => `| ${heading} | ${says} | \`npx connector ${first}\` |`,
  );
  const markdown = [
    `**What now?** \`export CONNECTOR_STACK=${stackName} AWS_REGION=${region}\`, then`,
    '`npx connector status`. The headings are those of docs/runbook.md.',
    '',
    '| alarm | what it says | first |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
  return new TextWidget({ markdown, width: 24, height: 4 + byHeading.size });
}
