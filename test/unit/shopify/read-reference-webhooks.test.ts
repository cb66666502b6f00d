import { describe, expect, it } from 'vitest';
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
