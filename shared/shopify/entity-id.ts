/** The API version of the GraphQL documents and the webhook readers. */
export const API_VERSION = '2026-10';

export type GidType =
  | 'Order'
  | 'Product'
  | 'Customer'
  | 'LineItem'
  | 'DiscountCodeNode'
  | 'DiscountAutomaticNode'
  | 'DiscountRedeemCode'
  | 'StaffMember';

/** The number in `gid://shopify/Order/123`; undefined for another type or another text. */
export function idFromGid(gid: string | null | undefined, type: GidType): string | undefined {
  // An answer that differs from the schema may hold anything here.
  if (typeof gid !== 'string') return undefined;
  const match = /^gid:\/\/shopify\/([A-Za-z]+)\/(\d{1,30})(?:\?.*)?$/.exec(gid);
  return match?.[1] === type ? match[2] : undefined;
}

/**
 * The global id comes first: it is always text, so no parser can have rounded it.
 */
export function entityId(
  payload: {
    readonly id?: string | null | undefined;
    readonly admin_graphql_api_id?: string | null | undefined;
  },
  type: GidType,
): string | undefined {
  return idFromGid(payload.admin_graphql_api_id, type) ?? payload.id ?? undefined;
}
