import { describe, expect, it } from 'vitest';
import {
  readCustomerMerge,
  readCustomerWebhook,
  readDeletedCustomer,
} from '../../../shared/shopify/webhooks/read-customer-webhooks.ts';

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
