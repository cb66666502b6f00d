import { readFileSync } from 'node:fs';
import type { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../shared/config/settings-check.ts';
import { buildStack, propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

/** With names as long as the settings allow. */
const shopsOf = (count: number, name = 'x'.repeat(50)) =>
  Array.from({ length: count }, (_, index) => ({ domain: `${name}-${index}.myshopify.com` }));
const rules = { currency: 'EUR' };
const full = {
  shops: shopsOf(500),
  rules,
  storefront: {},
  alarms: { emails: Array.from({ length: 370 }, (_, index) => `person-${index}@shop.example`) },
};

describe('a quota of AWS that a setting reaches', () => {
  it('63 characters of a label and 253 of a name: longer domains are no settings', () => {
    const faults = checkSettings({
      shops: shopsOf(1, 'x'.repeat(70)),
      loyalty: { address: 'https://loyalty.example.com' },
      deployment: {
        endpoint: {
          kind: 'http-api',
          domain: {
            name: `${'x.'.repeat(130)}example`,
            certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/sample',
          },
        },
      },
    });
    expect(faults.map(({ path }) => path)).toEqual([
      'shops[0].domain',
      'deployment.endpoint.domain.name',
    ]);
  });
});

describe('the largest stack', () => {
  const stage = 'x'.repeat(20);
  const most = synthesizeStack(full, stage);
  const template = most.toJSON();

  it('fits into the template that CloudFormation takes, as the file is written', () => {
    expect(Object.keys(template.Resources).length).toBeGreaterThan(490);
    const file = buildStack(full, stage, ({ node, stackName }) =>
      readFileSync((node.root as App).synth().getStackByName(stackName).templateFullPath),
    );
    // "Understand CloudFormation quotas": 1 MB, 200 outputs.
    expect(file.length).toBeLessThan(1_000_000);
    expect(Object.keys(template.Outputs).length).toBeLessThan(200);
  });

  it('has names and texts of alarms that CloudWatch takes', () => {
    for (const { AlarmName, AlarmDescription } of propertiesOf(most, 'AWS::CloudWatch::Alarm')) {
      // PutMetricAlarm: 255 and 1,024.
      expect(AlarmName.length).toBeLessThanOrEqual(255);
      expect(JSON.stringify(AlarmDescription).length).toBeLessThanOrEqual(1_024);
    }
  });

  it('leaves room in the 4 KB of the variables of each function', () => {
    for (const { Environment } of propertiesOf(most, 'AWS::Lambda::Function')) {
      // A reference becomes a URL or a name of at most 130 characters.
      const text = JSON.stringify(Environment.Variables).replaceAll(
        /\{"(?:Ref|Fn::GetAtt|Fn::Join)":.*?\]?\}/g,
        'x'.repeat(130),
      );
      expect(text.length).toBeLessThan(4_096);
    }
  });
});
