import { describe, expect, it } from 'vitest';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import { createConfidential } from '../../support/disclosure.ts';
import { type RunningConnector, runConnectors } from '../../support/running-connector.ts';
import { readMetricLine } from '../../support/watched-metrics.ts';

const connectors = runConnectors();

const fulfilled = { fulfilledAfterDays: 1 };

/** Everything written since `from`, for one delivery. */
function told({ output }: RunningConnector, correlationId: string) {
  return output
    .lines()
    .filter((line) => String(line.correlationId).startsWith(correlationId))
    .map(({ service, message }) => `${service}: ${message}`);
}

const counted = ({ output }: RunningConnector, from: number) =>
  output
    .lines()
    .slice(from)
    .flatMap((line) => ('_aws' in line ? readMetricLine(line) : []));

describe('what is written', () => {
  it('leads from the webhook to what was applied by one correlation id', async () => {
    const connector = await connectors.open();
    await connector.deliver(['orders/create', orderAt(1, fulfilled), { webhookId: 'b54557e4' }]);
    expect(told(connector, 'b54557e4')).toEqual([
      'receive-webhook: received',
      'sync-orders: applied',
    ]);
  });

  it('leads through a retry and a rejection to the dead-letter queue', async () => {
    const connector = await connectors.open();
    connector.loyalty.faults.add({ kind: 'http-503', count: 1 });
    connector.loyalty.faults.add({ kind: 'business-error', code: 50, count: 1 });
    await connector.deliver(['orders/create', orderAt(1, fulfilled), { webhookId: 'c0ffee' }]);
    expect(told(connector, 'c0ffee')).toEqual([
      'receive-webhook: received',
      'sync-orders: will be tried again',
      'sync-orders: parked in the dead-letter queue',
    ]);
  });

  it('counts every outcome once, and measures the way from the store to the service', async () => {
    const connector = await connectors.open();
    const from = connector.output.lines().length;
    const order = orderAt(1, fulfilled);
    expect(await connector.post('orders/create', order)).toBe(200);
    connector.pass(7);
    await connector.settle();
    await connector.deliver(['orders/updated', orderAt(2, fulfilled)]);
    await connector.deliver(['orders/updated', order]);
    await connector.deliver(['orders/create', orderAt(1, {}, { ...withId(2), test: true })]);
    expect(await connector.post('orders/create', order, { secret: 'a guess' })).toBe(401);
    expect(await connector.post('carts/update', {})).toBe(200);
    const old = { 'x-shopify-api-version': '2024-10' };
    await connector.deliver(['orders/updated', orderAt(3, fulfilled), { headers: old }]);

    const metrics = counted(connector, from);
    const total = (metric: string) =>
      metrics
        .filter((one) => one.metric === metric)
        .flatMap(({ values }) => values)
        .reduce((sum, value) => sum + value, 0);
    expect(
      Object.fromEntries(
        [
          'received',
          'applied',
          'no-change',
          'signatures-refused',
          'unknown-topic',
          'unexpected-api-version',
          'retried',
          'rejected',
        ].map((metric) => [metric, total(metric)]),
      ),
    ).toEqual({
      received: 5,
      applied: 1,
      'no-change': 4,
      'signatures-refused': 1,
      'unknown-topic': 1,
      'unexpected-api-version': 1,
      retried: 0,
      rejected: 0,
    });
    const [latency, ...others] = metrics.filter(({ metric }) => metric === 'latency-ms');
    expect(others).toEqual([]);
    expect(latency?.values[0]).toBeGreaterThanOrEqual(7_000);
    expect(latency?.values[0]).toBeLessThan(8_000);
    const skipped = connector.output
      .lines()
      .slice(from)
      .find(({ message }) => message === 'skipped');
    expect(skipped).toMatchObject({ why: 'test-order', kind: 'order', service: 'sync-orders' });
  });

  it('reports a crash by its place, and not by the data that caused it', async () => {
    const connector = await connectors.open();
    const { email } = persons.tibbold;
    connector.store.readOrder = async () => {
      throw new Error(`cannot read the order of ${email}`);
    };
    await connector.post(
      'orders/edited',
      { order_edit: { id: 1, order_id: 5 } },
      {
        webhookId: 'deadbeef',
      },
    );
    await connector.work();
    const [, broken] = connector.output
      .lines()
      .filter(({ correlationId }) => correlationId === 'deadbeef');
    expect(broken).toMatchObject({
      message: 'work on a group broke off',
      error: 'Error',
      stack: expect.stringContaining('output.test.ts'),
    });
  });
});

describe('the search for what must not be disclosed', () => {
  const confidential = createConfidential();
  confidential.addPersonal(personalFields(persons.quillane));
  confidential.addSecret('s3cr3t-value');

  it.each([
    ['an e-mail address', '{"why":"QUILLANE.ostravik@example.com is taken"}'],
    ['a first name', 'no such customer: Quillane'],
    ['a family name in other dead letters', 'OSTRAVIK'],
    ['a telephone number', '{"phone":"+15555550142"}'],
    ['an address as it looks in a URL', '/v1/x?email=quillane.ostravik%40example.com'],
    ['a street', 'Marrowgate Lane 17'],
    ['a document', 'Document QX-4471-0098 is not valid'],
    ['a secret', 'signed with s3cr3t-value'],
  ])('finds %s', (_, line) => {
    expect(confidential.disclosedIn(['harmless', line]).length).toBeGreaterThan(0);
  });

  it('finds nothing in what the connector may say', () => {
    expect(confidential.disclosedIn(['{"id":"5512345678901","why":"guest"}'])).toEqual([]);
    // A random id that holds a word of the street by chance.
    expect(confidential.disclosedIn(['{"id":"S5LANE1NAK37"}'])).toEqual([]);
  });
});
