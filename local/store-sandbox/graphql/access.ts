import { GraphQLError } from 'graphql';

/** The scope that an app needs to read each type. A write scope includes its read scope. */
const scopeOfType: Readonly<Record<string, string>> = {
  Order: 'read_orders',
  LineItem: 'read_orders',
  Refund: 'read_orders',
  SalesAgreement: 'read_orders',
  Fulfillment: 'read_orders',
  OrderTransaction: 'read_orders',
  OrderDisputeSummary: 'read_shopify_payments_disputes',
  Customer: 'read_customers',
  Product: 'read_products',
  DiscountNode: 'read_discounts',
  Rollout: 'read_rollouts',
  DiscountCodeNode: 'read_discounts',
  DiscountAutomaticNode: 'read_discounts',
  DiscountCodeBasicCreatePayload: 'write_discounts',
  DiscountCodeFreeShippingCreatePayload: 'write_discounts',
  DiscountCodeDeletePayload: 'write_discounts',
  // Shopify, "API access scopes": the account and its transactions have a scope each.
  StoreCreditAccount: 'read_store_credit_accounts',
  StoreCreditAccountTransaction: 'read_store_credit_account_transactions',
  StoreCreditAccountCreditPayload: 'write_store_credit_account_transactions',
  Location: 'read_locations',
  StaffMember: 'read_users',
};

export function checkAccess(
  scopes: ReadonlySet<string>,
  typeName: string,
  fieldName: string,
): GraphQLError | undefined {
  const scope = scopeOfType[typeName.replace(/Connection$/, '')];
  if (scope === undefined || scopes.has(scope)) return undefined;
  if (scope.startsWith('read_') && scopes.has(scope.replace('read_', 'write_'))) return undefined;
  return denyAccess(scope, fieldName);
}

export function denyAccess(scope: string, fieldName: string): GraphQLError {
  const requiredAccess = `\`${scope}\` access scope.`;
  const documentation = 'https://shopify.dev/api/usage/access-scopes';
  return new GraphQLError(
    `Access denied for ${fieldName} field. Required access: ${requiredAccess}`,
    { extensions: { code: 'ACCESS_DENIED', documentation, requiredAccess } },
  );
}
