import { describe, expect, it } from 'vitest';
import { readConcurrency } from '../../../shared/config/concurrency.ts';
import { RECONCILE_MINUTES } from '../../../shared/config/metrics.ts';
import { STACK_OUTPUTS } from '../../../shared/config/stack-outputs.ts';
import { buildOwnStack, propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack({
  deployment: { logRetentionDays: 14, maxConcurrency: { orders: 20 } },
});
const functions = propertiesOf(template, 'AWS::Lambda::Function');
const logGroups = propertiesOf(template, 'AWS::Logs::LogGroup');
const sources = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');

describe('the functions', () => {
  it('run on arm64 and the Node that the project is tested with', () => {
    for (const one of functions) {
      expect(one).toMatchObject({
        Runtime: `nodejs${process.versions.node.split('.')[0]}.x`,
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
    }
  });

  it('have the memory, time and schedules that each needs, and the variables that its code reads', () => {
    const whole = synthesizeStack({ storefront: {}, events: {} });
    const byName = propertiesOf(whole, 'AWS::Lambda::Function').map(
      ({ Description, MemorySize, Timeout, Environment: { Variables } }) => [
        Description.split(' ', 4).join(' '),
        [MemorySize, Timeout, Object.keys(Variables).length],
      ],
    );
    expect(Object.fromEntries(byName)).toEqual({
      'Verifies webhooks and puts': [256, 10, 5],
      'Syncs orders to the': [512, 240, 10],
      'Syncs products to the': [512, 240, 9],
      'Syncs discount codes to': [512, 240, 9],
      'Verifies point events and': [256, 10, 3],
      'Syncs balances from the': [512, 240, 6],
      'Answers requests of shoppers': [512, 30, 4],
      'Compares the store with': [512, 900, 8],
      'Announces on EventBridge what': [512, 240, 8],
    });
    const [, announced] = propertiesOf(whole, 'AWS::Events::Rule').filter(
      ({ ScheduleExpression: rate }) => rate !== 'rate(7 days)',
    );
    expect(announced?.ScheduleExpression).toBe('rate(5 minutes)');
  });

  it('have a role and a log group each, which is kept as long as the settings say', () => {
    const roles = functions.map(({ Role }) => Role['Fn::GetAtt'][0]);
    const groups = functions.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref);
    expect(new Set(roles).size).toBe(functions.length);
    expect(new Set(groups).size).toBe(functions.length);
    expect(logGroups).toHaveLength(functions.length);
    for (const { RetentionInDays } of logGroups) expect(RetentionInDays).toBe(14);
  });

  it('log in JSON, where metrics on standard output are found, without the lines of every call', () => {
    for (const { LoggingConfig } of functions) {
      expect(LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
      // A level for the application would be a filter on lines that carry metrics.
      expect(LoggingConfig.ApplicationLogLevel).toBeUndefined();
    }
  });

  it('start without options that slow the start', () => {
    for (const { Environment } of functions) {
      expect(Environment.Variables.NODE_OPTIONS).toBeUndefined();
    }
  });

  it('let only coupons send themselves on without an end: a discount has any number of pages', () => {
    const loops = Object.entries(template.findResources('AWS::Lambda::Function')).flatMap(
      ([id, { Properties }]) => (Properties.RecursiveLoop === 'Allow' ? [id] : []),
    );
    expect(loops).toEqual([expect.stringMatching(/^SyncCoupons/)]);
  });

  it('set no concurrency apart, unless deploying chose it for the quota', () => {
    for (const one of functions) expect(one).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('are as many as deploying chose for the quota, and the outputs keep that', () => {
    const concurrency = { orders: 4, products: 2, coupons: 3, receiver: 12 };
    const fitted = synthesizeStack({}, 'prod', concurrency);
    const most = propertiesOf(fitted, 'AWS::Lambda::EventSourceMapping').map(
      ({ ScalingConfig }) => ScalingConfig.MaximumConcurrency,
    );
    expect(most).toEqual([4, 2, 3]);
    expect(JSON.stringify(fitted.findResources('AWS::Lambda::Function'))).toContain(
      '"ReservedConcurrentExecutions":12',
    );
    const { Value } = fitted.findOutputs('Concurrency').Concurrency ?? {};
    expect(readConcurrency(Value)).toEqual(concurrency);
  });

  it('with an address of the storefront have the reservation that throttles them, and its worker has none', () => {
    const concurrency = { orders: 4, products: 2, coupons: 3, receiver: 12, storefront: 9 };
    const throttled = synthesizeStack({ storefront: {} }, 'prod', concurrency);
    const reserved = Object.entries(throttled.findResources('AWS::Lambda::Function')).flatMap(
      ([id, { Properties }]) =>
        Properties.ReservedConcurrentExecutions === 9 ? [id.replace(/Function.*/, '')] : [],
    );
    expect(reserved.toSorted()).toEqual(['BalancesReceiver', 'StorefrontProxy']);
  });

  it('of the storefront are as many workers as deploying chose, with their number', () => {
    const mostOf = (concurrency: Parameters<typeof synthesizeStack>[2]) => {
      const stack = synthesizeStack({ storefront: {} }, 'prod', concurrency);
      const sources = Object.entries(stack.findResources('AWS::Lambda::EventSourceMapping'));
      const [, source] = sources.find(([id]) => id.startsWith('Balances')) ?? [];
      const [worker] = propertiesOf(stack, 'AWS::Lambda::Function').filter(({ Description }) =>
        Description.startsWith('Syncs balances'),
      );
      const { MaximumConcurrency: most } = source?.Properties.ScalingConfig ?? {};
      return [most, worker?.Environment.Variables.WORKERS];
    };
    expect(mostOf(undefined)).toEqual([5, '5']);
    expect(mostOf({ orders: 4, products: 2, coupons: 3, balances: 7 })).toEqual([7, '7']);
    // As an app of the merchant may state it that was written for an older version.
    expect(mostOf({ orders: 4, products: 2, coupons: 3 })).toEqual([2, '2']);
  });

  describe('in an app of the merchant', () => {
    const reservedIn = ({ template }: ReturnType<typeof buildOwnStack>) =>
      propertiesOf(template, 'AWS::Lambda::Function').flatMap(
        ({ ReservedConcurrentExecutions: reserved }) => reserved ?? [],
      );

    it('reserve nothing and warn, unless the quota is given', () => {
      const unknown = buildOwnStack(undefined);
      expect(reservedIn(unknown)).toEqual([]);
      expect(unknown.warnings).toEqual([expect.stringContaining('lambdaQuota')]);
    });

    it('are fitted to the quota: at the least one nothing is reserved, which would roll back', () => {
      const usual = buildOwnStack(1_000);
      expect(reservedIn(usual)).toEqual([50, 50, 50]);
      expect(usual.warnings).toEqual([]);
      expect(reservedIn(buildOwnStack(16))).toEqual([]);
      expect(() => buildOwnStack(10)).toThrow(/at most 10 functions .*Ask AWS for more/s);
    });
  });

  it('find sandboxes and emulators on one machine only, never by what is deployed', () => {
    const names = functions.flatMap(({ Environment }) => Object.keys(Environment.Variables));
    expect(names.filter((name) => /SANDBOX|ENDPOINT|AWS_/.test(name))).toEqual([]);
  });
});

describe('the event sources', () => {
  it('take ten messages at once and give back single ones', () => {
    expect(sources).toHaveLength(3);
    for (const source of sources) {
      expect(source).toMatchObject({
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
    }
  });

  it('run as many workers as the settings say, to protect the loyalty service', () => {
    const most = sources.map(({ ScalingConfig }) => ScalingConfig.MaximumConcurrency);
    expect(most).toEqual([20, 5, 5]);
  });
});

const never = synthesizeStack({ healing: { deepEveryDays: false } });
const rules = propertiesOf(template, 'AWS::Events::Rule');

describe('the reconcile schedule', () => {
  it('runs every hour, and over everything once a week', () => {
    expect(rules).toMatchObject([
      { ScheduleExpression: 'rate(1 hour)', Targets: [{ Input: '{}' }] },
      { ScheduleExpression: 'rate(7 days)', Targets: [{ Input: '{"mode":"deep"}' }] },
    ]);
  });

  it('does not run over everything when the settings say never', () => {
    expect(propertiesOf(never, 'AWS::Events::Rule')).toMatchObject([
      { ScheduleExpression: 'rate(1 hour)', Targets: [{ Input: '{}' }] },
    ]);
  });

  it('ends a run before the next one begins', () => {
    const [reconcile] = propertiesOf(template, 'AWS::Lambda::Function').filter(
      ({ Environment }) => Environment.Variables.WEBHOOK_ADDRESS,
    );
    expect(reconcile?.Timeout).toBeLessThan(RECONCILE_MINUTES * 60);
  });

  it('repeats no run that failed: the next one goes on where it was', () => {
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { MaximumRetryAttempts: 0 },
    ]);
  });

  it('starts a run again that AWS could not start, but none so late that it would run beside the next one', () => {
    const [lambda] = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig');
    expect(lambda?.MaximumEventAgeInSeconds).toBe(300);
    for (const { Targets } of rules) {
      const policy = { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 2 };
      expect(Targets).toMatchObject([{ RetryPolicy: policy }]);
    }
  });

  it('knows the address that the webhooks of every shop must go to', () => {
    const addresses = propertiesOf(template, 'AWS::Lambda::Function').flatMap(
      ({ Environment }) => Environment.Variables.WEBHOOK_ADDRESS ?? [],
    );
    expect(addresses).toEqual([template.toJSON().Outputs.WebhookAddress.Value]);
  });
});

const { Outputs: outputs } = synthesizeStack({}, 'dev').toJSON();

describe('the outputs', () => {
  it('are those that the command line looks for, each with a word about it', () => {
    expect(Object.keys(outputs).toSorted()).toEqual([...STACK_OUTPUTS].toSorted());
    for (const output of Object.values<{ Description: string }>(outputs)) {
      expect(output.Description).toMatch(/\w/);
    }
  });

  it('belong to one stage', () => {
    expect(outputs.SecretsPrefix.Value).toBe('loyalty-connector/dev');
    expect(outputs.MetricsNamespace.Value).toBe('LoyaltyConnector/dev');
  });

  it('end in the command that comes next, complete with stack and region', () => {
    const text = JSON.stringify(outputs.NextCommand.Value);
    expect(text).toContain('npx loyalty-connector setup --stack loyalty-connector-dev --region ');
    expect(text).toContain('AWS::Region');
  });
});
