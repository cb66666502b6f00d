import { describe, expect, it } from 'vitest';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const { quillane, tibbold } = persons;
const { customer } = personalFields(quillane);
const request = { shop_id: 954889, shop_domain: SHOP, customer };
const fulfilled = { fulfilledAfterDays: 1 };
const traces = /quillane|ostravik|15555550142|QX-4471|7100000000001/i;

describe('the compliance topics', () => {
  it('redaction leaves no trace of the person in the ledger, and others as they were', async () => {
    const connector = await connectors.open();
    await connector.deliver(
      ['orders/create', orderAt(1, fulfilled, withId(1))],
      ['orders/create', orderAt(1, fulfilled, withId(2))],
      ['orders/create', orderAt(1, fulfilled, withId(3), tibbold)],
    );
    expect(await connector.ledgerText()).toMatch(traces);
    await connector.deliver(['customers/redact', { ...request, orders_to_redact: [1, 2, 4] }]);
    const text = await connector.ledgerText();
    expect(text).not.toMatch(traces);
    expect(text).toContain(tibbold.email);

    // A captured body does not bring the person back, nor does one that was on its way: of a change, or
    // of an order that nobody had heard of.
    connector.newCalls();
    await connector.deliver(['orders/create', orderAt(1, fulfilled, withId(1))]);
    await connector.deliver(['orders/updated', orderAt(2, {}, withId(2))]);
    await connector.deliver(['orders/create', orderAt(1, {}, withId(4))]);
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.ledgerText()).not.toMatch(traces);
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('a request for data, the end of a shop and of the app are noted for a person, and no more', async () => {
    const connector = await connectors.open();
    await connector.deliver(['orders/create', orderAt(1, fulfilled, withId(1), tibbold)]);
    connector.newCalls();
    await connector.deliver(
      ['customers/data_request', { ...request, orders_requested: [1], data_request: { id: 9999 } }],
      ['shop/redact', { shop_id: 954889, shop_domain: SHOP }],
      [
        'app/uninstalled',
        { id: 954889, name: 'Example', email: quillane.email, myshopify_domain: SHOP },
      ],
    );
    const text = await connector.ledgerText();
    for (const notice of ['data-request', 'shop-redact', 'app-uninstalled']) {
      expect(text).toContain(`${SHOP}|notice|${notice}/`);
    }
    expect(text).not.toMatch(traces);
    expect(text).toContain(tibbold.email);
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });

  it.each(['customers/data_request', 'customers/redact', 'shop/redact'])(
    '%s with a forged signature: 401',
    async (topic) => {
      const connector = await connectors.open();
      expect(await connector.post(topic, request, { secret: 'a guess' })).toBe(401);
      expect(await connector.waiting()).toBe(0);
    },
  );

  it("one shop's redaction at another's address erases nothing and is shown to a person", async () => {
    const connector = await connectors.open();
    const shop = SECOND_SHOP;
    await connector.deliver(['orders/create', orderAt(1, fulfilled, withId(1)), { shop }]);
    await connector.deliver(['customers/redact', { ...request, orders_to_redact: [1] }, { shop }]);
    expect(await connector.ledgerText()).toMatch(traces);
    expect(await connector.deadLetters()).toMatchObject([
      { attributes: { reason: 'unreadable', why: expect.stringContaining('shop_domain') } },
    ]);
  });
});
