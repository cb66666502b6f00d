import { describe, expect, it } from 'vitest';
import {
  readCustomerMerge,
  readCustomerWebhook,
  readDeletedCustomer,
} from '../../../shared/shopify/webhooks/read-customer-webhooks.ts';
import {
  readCustomerRedaction,
  readDataRequest,
  readDeletionWebhook,
  readDiscountWebhook,
  readOrderReference,
} from '../../../shared/shopify/webhooks/read-event.ts';
import { parseJson } from '../../../shared/shopify/webhooks/topics.ts';

function parsed(text: string): unknown {
  const result = parseJson(text);
  return result.kind === 'parsed' ? result.value : undefined;
}

describe('reading a deletion', () => {
  it('reads an exact id', () => {
    expect(readDeletionWebhook(parsed('{"id":820982911946154508}'))).toEqual({
      kind: 'read',
      id: '820982911946154508',
    });
  });

  it.each([{}, { id: null }, { id: 'gid://shopify/Order/1' }, [5], null])('refuses %j', (value) => {
    expect(readDeletionWebhook(value).kind).toBe('unreadable');
  });
});

describe('reading a reference to an order', () => {
  it.each([
    ['orders/edited', '{"order_edit":{"id":7,"order_id":820982911946154508,"line_items":{}}}'],
    ['refunds/create', '{"id":7,"order_id":820982911946154508,"refund_line_items":[]}'],
    ['disputes/create', '{"id":7,"order_id":820982911946154508,"type":"chargeback"}'],
  ])('reads the exact id of the order from %s', (_, body) => {
    expect(readOrderReference(parsed(body))).toMatchObject({ orderId: '820982911946154508' });
  });

  it('takes the date of a refund, and of an edit the date on which it was committed', () => {
    const dates = { created_at: '2026-10-05T11:00:00+02:00', committed_at: '2026-10-05T09:30:00Z' };
    expect(readOrderReference({ order_id: 5, ...dates })).toMatchObject({
      changedAt: '2026-10-05T09:00:00.000Z',
    });
    expect(readOrderReference({ order_edit: { order_id: 5, ...dates } })).toMatchObject({
      changedAt: '2026-10-05T09:30:00.000Z',
    });
    expect(readOrderReference({ order_id: 5 })).toMatchObject({ changedAt: undefined });
  });

  it('names the field of a missing id', () => {
    const faults = (body: string) => readOrderReference(parsed(body));
    expect(faults('{"order_edit":{}}')).toMatchObject({
      faults: [{ path: 'order_edit.order_id' }],
    });
    expect(faults('{"id":7}')).toMatchObject({ faults: [{ path: 'order_id' }] });
  });
});

describe('reading what happened to a discount', () => {
  const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
  const at = '2026-08-29T12:00:00-04:00';

  it('decides by the shape of the body, because the topic is not signed', () => {
    const kindOf = (body: object) => {
      const result = readDiscountWebhook({ admin_graphql_api_id: gid, ...body });
      return result.kind === 'read' ? result.notice.change.kind : result.kind;
    };
    expect(kindOf({ title: 'Autumn', status: 'ACTIVE', created_at: at, updated_at: at })).toBe(
      'discount-changed',
    );
    expect(kindOf({ deleted_at: at })).toBe('discount-deleted');
    const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/9', code: 'AUTUMN10' };
    expect(kindOf({ redeem_code, updated_at: at })).toBe('code-added-or-removed');
  });

  it('keeps the code as it is written, with its exact id', () => {
    const redeem_code = {
      id: 'gid://shopify/DiscountRedeemCode/9007199254740993',
      code: 'Für dich 10%',
    };
    expect(readDiscountWebhook({ admin_graphql_api_id: gid, redeem_code, updated_at: at })).toEqual(
      {
        kind: 'read',
        notice: {
          discountId: '1688847450345',
          automatic: false,
          change: {
            kind: 'code-added-or-removed',
            code: 'Für dich 10%',
            codeId: '9007199254740993',
            at: '2026-08-29T16:00:00.000Z',
          },
        },
      },
    );
  });

  it('recognizes an automatic discount', () => {
    const body = { admin_graphql_api_id: 'gid://shopify/DiscountAutomaticNode/1', updated_at: at };
    expect(readDiscountWebhook(body)).toMatchObject({ notice: { automatic: true } });
  });

  it('refuses the id of another type', () => {
    const body = { admin_graphql_api_id: 'gid://shopify/Order/1', updated_at: at };
    expect(readDiscountWebhook(body)).toMatchObject({ faults: [{ path: 'admin_graphql_api_id' }] });
  });
});

describe('reading a compliance request', () => {
  const person = { id: 191_167, email: 'robin.sample@example.com', phone: '+15555550100' };
  const shop = { shop_id: 954_889, shop_domain: 'example-store.myshopify.com' };
  const redaction = { ...shop, customer: person, orders_to_redact: [299_938, 280_263] };
  const request = {
    ...shop,
    customer: person,
    orders_requested: [299_938],
    data_request: { id: 9 },
  };

  it('reads ids and no personal data', () => {
    expect(readCustomerRedaction(redaction)).toEqual({
      kind: 'read',
      request: {
        shopDomain: 'example-store.myshopify.com',
        customerId: '191167',
        orderIds: ['299938', '280263'],
      },
    });
    expect(readDataRequest(request)).toMatchObject({
      request: { requestId: '9', customerId: '191167', orderIds: ['299938'] },
    });
    expect(
      JSON.stringify([readCustomerRedaction(redaction), readDataRequest(request)]),
    ).not.toContain('robin');
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
    const { id, admin_graphql_api_id } = payload;
    const whole = { id: 1, tax_exemptions: [], admin_graphql_api_id };
    expect(readDeletedCustomer(whole)).toEqual({ kind: 'read', id });
    expect(readDeletedCustomer({ id: 12 })).toEqual({ kind: 'read', id: '12' });
    expect(readDeletedCustomer({ tax_exemptions: [] })).toMatchObject({ kind: 'unreadable' });
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
    ['completed', true],
    ['COMPLETED', true],
    ['failed', false],
    ['in_progress', false],
    ['requested', false],
  ])('counts with the status %s: %s', (status, completed) => {
    expect(readCustomerMerge({ ...merge, status })).toEqual({
      kind: 'read',
      keptId: '1',
      deletedId: '2',
      completed,
    });
  });
});
