/** The kinds of Shopify's global ids that the connector reads. */
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
  // The types say text, but an answer of the store may hold anything, however deep.
  if (typeof gid !== 'string') return undefined;
  const match = /^gid:\/\/shopify\/([A-Za-z]+)\/(\d{1,30})(?:\?.*)?$/.exec(gid);
  return match?.[1] === type ? match[2] : undefined;
}

/**
 * The id of a payload's entity. The global id comes first: it is text in every version and on every
 * way, so no parser can have rounded it.
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
