import * as v from 'valibot';
import type { Unreadable } from '../../store/read-fault.ts';
import { idFromGid } from '../entity-id.ts';
import { moment, optional, readPayload, text, together } from './payload-fields.ts';

/**
 * What a discounts/* webhook tells: that something changed. Codes, value, dates and customers must
 * be asked of the store.
 *
 * The body's shape says what happened, not the topic, which is not signed. One thing no shape says:
 * redeemcode_added and redeemcode_removed carry the same body, so the store is asked there too.
 */
interface DiscountNotice {
  readonly discountId: string;
  /** An automatic discount has no codes: there is nothing to mirror. */
  readonly automatic: boolean;
  readonly change:
    | { readonly kind: 'discount-changed'; readonly at: string }
    | { readonly kind: 'discount-deleted'; readonly at: string }
    | {
        readonly kind: 'code-added-or-removed';
        readonly code: string;
        readonly codeId: string | undefined;
        readonly at: string;
      };
}

export type ReadDiscount = { readonly kind: 'read'; readonly notice: DiscountNotice } | Unreadable;

const discountPayload = v.pipe(
  v.object({
    admin_graphql_api_id: text,
    updated_at: optional(moment),
    deleted_at: optional(moment),
    redeem_code: optional(v.object({ id: optional(text), code: text })),
  }),
  together(
    ['admin_graphql_api_id'],
    (payload) => nodeOf(payload.admin_graphql_api_id) !== undefined,
    'is not the id of a discount',
  ),
  together(
    ['updated_at', 'deleted_at'],
    (payload) => (payload.updated_at ?? payload.deleted_at) != null,
    'is missing, and so is deleted_at',
  ),
);

export function readDiscountWebhook(value: unknown): ReadDiscount {
  const result = readPayload(discountPayload, value);
  if (result.kind !== 'read') return result;
  const { admin_graphql_api_id, ...rest } = result.value;
  const node = nodeOf(admin_graphql_api_id) ?? { discountId: '', automatic: false };
  return { kind: 'read', notice: { ...node, change: changeOf(rest) } };
}

function changeOf(
  payload: Omit<v.InferOutput<typeof discountPayload>, 'admin_graphql_api_id'>,
): DiscountNotice['change'] {
  const at = payload.updated_at ?? payload.deleted_at ?? '';
  if (payload.redeem_code) {
    const { code, id } = payload.redeem_code;
    const codeId = idFromGid(id, 'DiscountRedeemCode');
    return { kind: 'code-added-or-removed', code, codeId, at };
  }
  return { kind: payload.deleted_at == null ? 'discount-changed' : 'discount-deleted', at };
}

function nodeOf(gid: string): Pick<DiscountNotice, 'discountId' | 'automatic'> | undefined {
  const code = idFromGid(gid, 'DiscountCodeNode');
  if (code !== undefined) return { discountId: code, automatic: false };
  const automatic = idFromGid(gid, 'DiscountAutomaticNode');
  return automatic === undefined ? undefined : { discountId: automatic, automatic: true };
}
