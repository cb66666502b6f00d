import { describe, expect, it } from 'vitest';
import { orderAt } from '../../fixtures/order-life.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import { createConfidential } from '../../support/disclosure.ts';
import { type RunningConnector, runConnectors } from '../../support/running-connector.ts';

const connectors = runConnectors();

const fulfilled = { fulfilledAfterDays: 1 };

/** Everything written since `from`, for one delivery. */
function told({ output }: RunningConnector, correlationId: string) {
  return output
    .lines()
    .filter((line) => String(line.correlationId).startsWith(correlationId))
    .map(({ service, message }) => `${service}: ${message}`);
}

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
