import type { StoreAnswer, WalkAnswer, WalkedKind } from '../../core/store/store.ts';
import { failure, unavailable } from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import { accessScopesDocument, stillThereDocument } from './documents.gen.ts';

/** What the caller knows of an order besides its id. */
export interface OrderEvidence {
  /** The store has announced the deletion in a signed body of that shape. */
  readonly deletionAnnounced?: boolean | undefined;
}

/**
 * Decides what it means that the store shows no such order.
 *
 * Without `read_all_orders` an app sees only the last sixty days (Shopify, "Order"), and an older order
 * looks exactly like a deleted one. An order that is `gone` is cancelled in the loyalty service, so it
 * needs proof: the app may see all orders, or the store announced the deletion. A date is no proof: the
 * order's creation decides, and the id does not show it.
 */
export async function judgeAbsence(
  ask: Ask,
  { deletionAnnounced = false }: OrderEvidence,
): Promise<StoreAnswer<never>> {
  if (deletionAnnounced) return { kind: 'gone' };
  const answer = await seesAllOrders(ask);
  if (answer.kind !== 'found') return answer;
  return answer.value
    ? { kind: 'gone' }
    : unavailable(failure('order-not-visible', { scope: 'read_all_orders' }));
}

const TYPE: Readonly<Record<WalkedKind, string>> = {
  order: 'Order',
  product: 'Product',
  discount: 'DiscountCodeNode',
};

/** At most 250 ids (Shopify, "nodes"). */
export async function findAbsent(
  ask: Ask,
  kind: WalkedKind,
  ids: readonly string[],
): Promise<WalkAnswer<ReadonlySet<string>>> {
  if (ids.length === 0) return { kind: 'found', value: new Set() };
  const answer = await ask(stillThereDocument, {
    ids: ids.map((id) => `gid://shopify/${TYPE[kind]}/${id}`),
  });
  if (answer.kind !== 'data') return unavailable(answer);
  const shown = new Set(answer.data.nodes.map((node) => node?.id.split('/').at(-1)));
  return { kind: 'found', value: new Set(ids.filter((id) => !shown.has(id))) };
}

export async function seesAllOrders(ask: Ask): Promise<WalkAnswer<boolean>> {
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind !== 'data') return unavailable(answer);
  const { accessScopes } = answer.data.currentAppInstallation;
  return {
    kind: 'found',
    value: accessScopes.some(({ handle }) => handle === 'read_all_orders'),
  };
}
