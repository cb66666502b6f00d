import { describe, expect, it } from 'vitest';
import { readCustomerWebhook } from '../../../shared/shopify/webhooks/read-customer-webhook.ts';
import { readTopic, SHOP } from '../../fixtures/read-topic.ts';

const ORDER = '820982911946154508';

describe('reading a deletion', () => {
  it('asks the store for an exact id', () => {
    expect(readTopic('orders/delete', `{"id":${ORDER}}`)).toEqual({ kind: 'ask-store' });
  });

  it.each([{}, { id: null }, { id: 'gid://shopify/Order/1' }, [5], null])('refuses %j', (value) => {
    expect(readTopic('orders/delete', value).kind).toBe('unreadable');
  });
});

describe('reading a reference to an order', () => {
  it.each([
    ['orders/edited', `{"order_edit":{"id":7,"order_id":${ORDER},"line_items":{}}}`],
    ['refunds/create', `{"id":7,"order_id":${ORDER},"refund_line_items":[]}`],
    ['disputes/create', `{"id":7,"order_id":${ORDER},"type":"chargeback"}`],
  ])('asks for the order whose exact id %s names', (topic, body) => {
    expect(readTopic(topic, body)).toEqual({ kind: 'ask-store' });
  });

  it('takes the date of a refund, and of an edit the date on which it was committed', () => {
    const dates = { created_at: '2026-10-05T11:00:00+02:00', committed_at: '2026-10-05T09:30:00Z' };
    expect(readTopic('refunds/create', { order_id: 5, ...dates })).toEqual({
      kind: 'ask-store',
      changedAt: Date.parse('2026-10-05T09:00:00Z'),
    });
    expect(readTopic('orders/edited', { order_edit: { order_id: 5, ...dates } })).toEqual({
      kind: 'ask-store',
      changedAt: Date.parse('2026-10-05T09:30:00Z'),
    });
    expect(readTopic('refunds/create', { order_id: 5 })).toEqual({ kind: 'ask-store' });
  });

  it('skips the dispute of a payment without an order', () => {
    expect(readTopic('disputes/create', { id: 7, order_id: null })).toEqual({
      kind: 'task',
      task: { kind: 'skip', why: 'no-order' },
    });
  });

  it('names the field of a missing id', () => {
    const why = (topic: string, body: object) => readTopic(topic, body);
    expect(why('orders/edited', { order_edit: {} })).toEqual({
      kind: 'unreadable',
      why: 'order_edit.order_id is missing',
    });
    expect(why('refunds/create', { id: 7 })).toEqual({
      kind: 'unreadable',
      why: 'order_id is missing',
    });
  });
});

describe('reading what happened to a discount', () => {
  const admin_graphql_api_id = 'gid://shopify/DiscountCodeNode/1688847450345';
  const at = '2026-08-29T12:00:00-04:00';
  const fanOut = { kind: 'task', task: { kind: 'fan-out', discountId: '1688847450345' } };

  it('decides by the shape of the body, because the topic is not signed', () => {
    const read = (body: object) => readTopic('discounts/update', { admin_graphql_api_id, ...body });
    const changed = { title: 'Autumn', status: 'ACTIVE', created_at: at, updated_at: at };
    expect(read(changed)).toEqual(fanOut);
    expect(read({ deleted_at: at })).toEqual(fanOut);
    const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/9', code: 'Für dich 10%' };
    expect(read({ redeem_code, updated_at: at })).toEqual({
      kind: 'task',
      task: { kind: 'sync-code', code: 'Für dich 10%' },
    });
    expect(read({ title: 'Autumn' })).toEqual({
      kind: 'unreadable',
      why: 'updated_at is missing, and so is deleted_at',
    });
  });

  it('skips an automatic discount, which has no codes', () => {
    const gid = 'gid://shopify/DiscountAutomaticNode/1';
    expect(
      readTopic('discounts/create', { admin_graphql_api_id: gid, updated_at: at }),
    ).toMatchObject({ task: { kind: 'skip', why: 'automatic-discount' } });
  });

  it('refuses the id of another type', () => {
    const gid = 'gid://shopify/Order/1';
    expect(readTopic('discounts/create', { admin_graphql_api_id: gid, updated_at: at })).toEqual({
      kind: 'unreadable',
      why: 'admin_graphql_api_id is not the id of a discount',
    });
  });
});

describe('reading a compliance request', () => {
  const person = { id: 191_167, email: 'robin.sample@example.com', phone: '+15555550100' };
  const shop = { shop_id: 954_889, shop_domain: SHOP };
  const redaction = { ...shop, customer: person, orders_to_redact: [299_938, 280_263] };
  const request = { ...shop, customer: person, orders_requested: [1], data_request: { id: 9 } };

  it('reads ids and no personal data', () => {
    const redact = readTopic('customers/redact', redaction);
    expect(redact).toEqual({
      kind: 'task',
      task: { kind: 'redact', customerId: '191167', orderIds: ['299938', '280263'] },
    });
    const asked = readTopic('customers/data_request', request);
    expect(asked).toMatchObject({ task: { kind: 'notify', notice: 'data-request', id: '9' } });
    expect(JSON.stringify([redact, asked])).not.toContain('robin');
  });
});

/** Shopify's sample of customers/create and customers/update, with another address. */
const payload = {
  id: 706405506930370084n.toString(),
  created_at: '2021-12-31T19:00:00-05:00',
  updated_at: '2026-10-05T07:00:00-04:00',
  first_name: 'Robin',
  last_name: 'Sample',
  state: 'disabled',
  note: 'This customer loves ice cream',
  verified_email: true,
  multipass_identifier: null,
  tax_exempt: false,
  email: 'robin.sample@example.com',
  phone: null,
  currency: 'USD',
  addresses: [],
  tax_exemptions: [],
  admin_graphql_api_id: 'gid://shopify/Customer/706405506930370084',
  default_address: { id: 12321, name: 'Robin Sample', phone: '+15555550142' },
};

const member = (body: object) => {
  const read = readCustomerWebhook(body);
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults));
  return read.member;
};

describe('the body of a customer', () => {
  it('gives the customer, with all dates in UTC', () => {
    expect(member(payload)).toEqual({
      id: '706405506930370084',
      name: 'Robin Sample',
      email: 'robin.sample@example.com',
      phone: '+15555550142',
      createdAt: '2022-01-01T00:00:00.000Z',
      updatedAt: '2026-10-05T11:00:00.000Z',
      metafields: undefined,
    });
  });

  it.each([
    ['first_name', { name: 'Sample' }],
    ['email', { email: undefined }],
    ['default_address', { phone: undefined }],
    ['created_at', { createdAt: undefined }],
    ['id', { id: '706405506930370084' }],
  ] as const)('is readable without the key %s', (key, expected) => {
    const { [key]: _, ...rest } = payload;
    expect(member(rest)).toMatchObject(expected);
  });

  it('is unreadable without its global id or its date, and without quoting the person', () => {
    const { admin_graphql_api_id: _, updated_at: __, ...rest } = payload;
    const read = readCustomerWebhook(rest);
    expect(read).toMatchObject({
      kind: 'unreadable',
      faults: [{ path: 'updated_at' }, { path: 'admin_graphql_api_id' }],
    });
    expect(JSON.stringify(read)).not.toContain('robin');
  });
});

describe('the body of a deleted customer', () => {
  it('names the customer by either id', () => {
    const { admin_graphql_api_id } = payload;
    const whole = { id: 1, tax_exemptions: [], admin_graphql_api_id };
    expect(readTopic('customers/delete', whole)).toEqual({ kind: 'ask-store' });
    expect(readTopic('customers/delete', { id: 12 })).toEqual({ kind: 'ask-store' });
    expect(readTopic('customers/delete', { tax_exemptions: [] }).kind).toBe('unreadable');
  });
});

describe('the body of a merge', () => {
  const merge = {
    admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/1',
    admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/2',
    admin_graphql_api_job_id: null,
    status: 'completed',
    errors: [],
  };

  it.each([
    ['completed', { kind: 'merge', keptId: '1', deletedId: '2' }],
    ['COMPLETED', { kind: 'merge', keptId: '1', deletedId: '2' }],
    ['failed', { kind: 'skip', why: 'merge-not-completed' }],
    ['in_progress', { kind: 'skip', why: 'merge-not-completed' }],
    ['requested', { kind: 'skip', why: 'merge-not-completed' }],
  ])('with the status %s is %j', (status, task) => {
    expect(readTopic('customers/merge', { ...merge, status })).toEqual({ kind: 'task', task });
  });
});
