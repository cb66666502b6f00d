import type { WalkAnswer, WalkedKind } from '../../core/sync/store-walk.ts';
import { unavailable } from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import { accessScopesDocument, stillThereDocument } from './documents.gen.ts';

const TYPE: Readonly<Record<WalkedKind, string>> = {
  order: 'Order',
  product: 'Product',
  discount: 'DiscountCodeNode',
};

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
