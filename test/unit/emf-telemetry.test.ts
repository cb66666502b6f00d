import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captureOutput } from '../../local/harness/captured-output.ts';
import { createEmfTelemetry } from '../../shared/aws/emf-telemetry.ts';
import { METRICS, type Metric, RHYTHMS } from '../../shared/config/metrics.ts';
import type { LogFields } from '../../shared/core/events/telemetry.ts';
import { readMetricLine } from '../support/watched-metrics.ts';

const NOW = new Date('2026-10-09T12:00:00.000Z');

function open(
  monitoring: 'full' | 'basic' = 'full',
  service: 'sync-orders' | 'storefront' = 'sync-orders',
) {
  const written: string[] = [];
  const settings = { namespace: 'LoyaltyConnector', service, monitoring } as const;
  const telemetry = createEmfTelemetry(
    settings,
    (line) => written.push(line),
    () => NOW,
  );
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);
  const metrics = () => lines().flatMap(readMetricLine);
  return { telemetry, written, lines, metrics };
}

describe('metrics', () => {
  it('are written when they are flushed, once', () => {
    const { telemetry, written } = open();
    telemetry.count('applied', { kind: 'order' });
    expect(written).toEqual([]);
    telemetry.flush();
    expect(written).toHaveLength(1);
    telemetry.flush();
    expect(written).toHaveLength(1);
  });

  it('say what CloudWatch needs to know', () => {
    const { telemetry, lines } = open();
    telemetry.count('retried', { why: 'timeout', kind: 'order' });
    telemetry.flush();
    expect(lines()).toEqual([
      {
        _aws: {
          Timestamp: NOW.getTime(),
          CloudWatchMetrics: [
            {
              Namespace: 'LoyaltyConnector',
              Dimensions: [[]],
              Metrics: [{ Name: 'retried', Unit: 'Count' }],
            },
          ],
        },
        service: 'sync-orders',
        retried: 1,
      },
    ]);
  });

  it('join what is counted separately in the process under one name', () => {
    const { telemetry, metrics } = open();
    for (const outcome of ['unchanged', 'superseded', 'skipped'] as const) {
      telemetry.count(outcome, { kind: 'order' });
    }
    telemetry.flush();
    expect(metrics()).toMatchObject([{ metric: 'no-change', values: [3], keptBy: [{}] }]);
  });

  it('are in basic monitoring one sum of what needs a person', () => {
    const { telemetry, metrics } = open('basic');
    for (const metric of Object.keys(METRICS)) telemetry.count(metric as Metric, { shop: 'one' });
    telemetry.flush();
    const names = Object.entries(RHYTHMS).filter(([, rhythm]) => rhythm === 'trouble');
    expect(metrics()).toMatchObject([{ metric: 'trouble', values: [names.length] }]);
  });

  it('go past the console, which a runtime may wrap: CloudWatch would find nothing in it', () => {
    const output = captureOutput();
    const reached: unknown[] = [];
    console.log = (...words) => reached.push(words);
    const telemetry = createEmfTelemetry({
      ...{ namespace: 'LoyaltyConnector', service: 'sync-orders', monitoring: 'full' },
    });
    telemetry.count('crash');
    telemetry.flush();
    output.stop();
    expect(reached).toEqual([]);
    expect(output.lines().flatMap(readMetricLine)).toMatchObject([{ metric: 'crash' }]);
    expect(output.pieces[0]).toMatch(/^\{.*\}\n$/);
  });

  it('are not written where no alarm or graph uses them', () => {
    const { telemetry, written } = open();
    telemetry.count('store-read', { kind: 'order' });
    telemetry.flush();
    expect(written).toEqual([]);
  });

  it('keep every single measurement, in lines that CloudWatch takes', () => {
    const { telemetry, metrics } = open();
    const measured = Array.from({ length: 250 }, (_, index) => index);
    for (const ms of measured) telemetry.count('latency-ms', { kind: 'order' }, ms);
    telemetry.flush();
    expect(metrics().map(({ values }) => values.length)).toEqual([100, 100, 50]);
    expect(metrics().flatMap(({ values }) => values)).toEqual(measured);
  });

  it('are one line for all: each line costs a write and money', () => {
    const { telemetry, lines, metrics } = open();
    for (const metric of ['applied', 'unchanged', 'latency-ms'] as const) telemetry.count(metric);
    telemetry.flush();
    expect(lines()).toHaveLength(1);
    expect(metrics()).toMatchObject(
      ['applied', 'no-change', 'latency-ms'].map((metric) => ({ metric, keptBy: [{}] })),
    );
  });

  it('are always valid, whatever is counted, and nothing of it is lost', () => {
    const detail = fc.constantFrom('order', 'guest', 'rejected', 'orders/create');
    const counts = fc.array(
      fc.record({
        metric: fc.constantFrom('applied', 'skipped', 'retried', 'latency-ms'),
        dimensions: fc.record(
          { kind: detail, why: detail, code: detail, topic: detail },
          { requiredKeys: [] },
        ),
        value: fc.nat(1_000_000),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(counts, (all) => {
        const { telemetry, metrics } = open();
        for (const { metric, dimensions, value } of all) {
          telemetry.count(metric as 'applied', dimensions, value);
        }
        telemetry.flush();
        const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
        expect(total(metrics().flatMap(({ values }) => values))).toBe(
          total(all.map(({ value }) => value)),
        );
      }),
    );
  });
});

describe('logs', () => {
  it('join warnings that say the same again, and keep what names another entity or delivery', () => {
    const { telemetry, lines } = open();
    const warn = (fields: LogFields) => telemetry.log('warn', 'refused', fields);
    for (let n = 0; n < 4; n += 1) warn({ why: 'signature' });
    expect(lines()).toMatchObject([{ why: 'signature' }, { why: 'signature' }, { times: 2 }]);
    for (let id = 0; id < 1_500; id += 1) warn({ id });
    expect(lines()).toHaveLength(1_503);
    for (let n = 0; n < 4; n += 1) warn({ correlationId: 'one' });
    expect(lines()).toHaveLength(1_507);
  });

  it('of a public address are bounded for the process: 300 shops in turn are a few lines', () => {
    const { telemetry, lines } = open('full', 'storefront');
    for (let n = 0; n < 6_000; n += 1) {
      telemetry.log('warn', 'refused', { shop: `shop-${n % 300}`, why: `why-${n % 7}` });
    }
    expect(lines().length).toBeLessThan(32);
    // Each line says for how many others it stands.
    const shown = lines().map(({ others = 0 }) => Number(others) + 1);
    expect(shown.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(2_100 / 2);
    // Something else is not hidden by it.
    telemetry.log('error', 'an invocation broke off', {});
    expect(lines().at(-1)).toMatchObject({ message: 'an invocation broke off' });
  });

  it('are written at once, as one line of JSON each', () => {
    const { telemetry, written, lines } = open();
    telemetry.log('warn', 'two\nlines', { correlationId: 'w\n1', attempts: 2, code: undefined });
    expect(written[0]).not.toContain('\n');
    expect(lines()).toEqual([
      {
        level: 'warn',
        message: 'two\nlines',
        at: '2026-10-09T12:00:00.000Z',
        service: 'sync-orders',
        correlationId: 'w\n1',
        attempts: 2,
      },
    ]);
  });
});
