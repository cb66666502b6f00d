import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type PlantedBug, plant } from './planted.ts';
import type { WrittenTemplate } from './template.ts';

/*
 * In place of CDK's command line: runs the real one, and changes the templates that it has written, before they are
 * deployed. It leaves out what the engine does not know, and plants a bug if one is asked for.
 */
const real = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
const words = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [real, ...words], { stdio: 'inherit' });
if (status === 0 && words[0] === 'synth') {
  const output = words[words.indexOf('--output') + 1] ?? '';
  for (const name of readdirSync(output)) {
    if (!name.endsWith('.template.json')) continue;
    const file = join(output, name);
    const template: WrittenTemplate = JSON.parse(readFileSync(file, 'utf8'));
    adapt(template);
    const bug = process.env.CHECK_AWS_PLANTED;
    if (bug) plant(template, bug as PlantedBug);
    writeFileSync(file, JSON.stringify(template));
  }
}
process.exitCode = status ?? 1;

function adapt({ Resources: resources }: WrittenTemplate): void {
  for (const [id, { Type: type, Properties: own }] of Object.entries(resources)) {
    // "Properties.Metrics (metric math) is not supported"
    if (type === 'AWS::CloudWatch::Alarm' && own.Metrics) delete resources[id];
    // On AWS the permission of the single call is that of the batch ("Actions for Amazon SQS", IAM).
    if (type === 'AWS::IAM::Policy') {
      for (const statement of own.PolicyDocument.Statement) {
        const actions = [statement.Action].flat();
        const batches = actions.filter((one) => /^sqs:(Send|Delete|Change)/.test(one));
        statement.Action = [...actions, ...batches.map((one) => `${one}Batch`)];
      }
    }
    // Nobody waits for an hour.
    const interval = process.env.CHECK_AWS_SCHEDULE;
    if (interval && type === 'AWS::Events::Rule' && /hour|minutes/.test(own.ScheduleExpression)) {
      own.ScheduleExpression = interval;
    }
  }
}
