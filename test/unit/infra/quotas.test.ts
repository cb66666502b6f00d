import { readFileSync } from 'node:fs';
import type { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { tooLarge } from '../../../infra/quotas.ts';
import { checkSettings } from '../../../shared/config/settings-check.ts';
import { buildStack, propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

/** With names as long as the settings allow. */
const shopsOf = (count: number, name = 'x'.repeat(50)) =>
  Array.from({ length: count }, (_, index) => ({ domain: `${name}-${index}.myshopify.com` }));
const rules = { currency: 'EUR' };
const orderSilence = {
  ...{ hours: 2, opens: 8, closes: 20, timeZone: 'America/New_York' },
  days: 'monday-to-saturday' as const,
};
const watched = (count: number, emails: readonly string[] = []) => ({
  shops: shopsOf(count),
  rules,
  storefront: {},
  alarms: { orderSilence, emails },
  deployment: { dashboard: true },
});
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `person-${index}@shop.example`);

describe('a quota of AWS that a setting reaches', () => {
  it('500 resources: too many shops with orderSilence stop the synthesis with a sentence', () => {
    expect(() => synthesizeStack(watched(500))).toThrow(
      /The stack would have 6\d\d resources, and CloudFormation allows 500: set orderSilence: false for at least 1\d\d of the 500 shops that have it, or move them to another stage\./,
    );
  });

  it('500 resources: too many addresses for alarms do, too', () => {
    expect(() => synthesizeStack(watched(1, addresses(450)))).toThrow(
      /The stack would have 5\d\d resources, and CloudFormation allows 500: shorten alarms\.emails by at least \d+, to one address of a mailing list\./,
    );
  });

  it('1,000 writes a second of one item: more workers than can book their calls are refused', () => {
    const loyalty = { address: 'https://loyalty.example.com', callsPerSecond: 500 };
    const workers = (orders: number) => ({
      loyalty,
      deployment: { maxConcurrency: { orders, products: 100, coupons: 100 } },
    });
    expect(() => synthesizeStack(workers(400))).toThrow(
      'With loyalty.callsPerSecond all 600 workers, those of the storefront included, write to one item of the ledger, which DynamoDB lets 500 do: lower deployment.maxConcurrency by 100 in all, or leave callsPerSecond out.',
    );
    expect(() => synthesizeStack(workers(300))).not.toThrow();
    const { deployment } = workers(300);
    const maxConcurrency = { ...deployment.maxConcurrency, storefront: 60 };
    const pages = { loyalty, storefront: {}, deployment: { maxConcurrency } };
    expect(() => synthesizeStack(pages)).toThrow('all 585 workers');
    expect(() =>
      synthesizeStack({ ...workers(400), loyalty: { address: loyalty.address } }),
    ).not.toThrow();
  });

  it('250 MB of a function: what the settings import is too large', () => {
    const most = 250 * 1024 * 1024;
    expect(tooLarge('sync-orders', most)).toEqual([]);
    expect(tooLarge('sync-orders', most + 1)).toEqual([
      'The function sync-orders has 251 MB, and Lambda allows 250: connector.config.ts imports too much.',
    ]);
  });

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
  const most = synthesizeStack(watched(370), stage);
  const template = most.toJSON();

  it('fits into the template that CloudFormation takes, as the file is written', () => {
    expect(Object.keys(template.Resources).length).toBeGreaterThan(490);
    const file = buildStack(watched(370), stage, ({ node, stackName }) =>
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

  it('shows at most 100 alarms in one part of the dashboard', () => {
    const [{ DashboardBody: body }] = propertiesOf(most, 'AWS::CloudWatch::Dashboard') as [
      { DashboardBody: { 'Fn::Join': [string, (string | object)[]] } },
    ];
    const parts = body['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'x'));
    const { widgets }: { widgets: { type: string; properties: { alarms: string[] } }[] } =
      JSON.parse(parts.join(''));
    const shown = widgets.flatMap((one) => (one.type === 'alarm' ? [one.properties.alarms] : []));
    expect(shown.flat()).toHaveLength(propertiesOf(most, 'AWS::CloudWatch::Alarm').length);
    // "Dashboard body structure and syntax": an array of 1 to 100 ARNs.
    for (const alarms of shown) expect(alarms.length).toBeLessThanOrEqual(100);
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
