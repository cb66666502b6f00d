import type {
  Changed,
  ScanAnswer,
  ScannedKind,
  ScanPage,
  Span,
  StoreAnswer,
} from '../../core/store/store.ts';
import {
  type AdminAnswer,
  type AdminFailure,
  failure,
  unavailable,
} from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import {
  accessScopesDocument,
  discountsCountDocument,
  ordersCountDocument,
  productsCountDocument,
  stillThereDocument,
} from './documents.gen.ts';

export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

type WholeList<Node> = { readonly kind: 'nodes'; readonly nodes: readonly Node[] } | AdminFailure;

/**
 * Reads a list to its end, from its first page on. `state` is the owner's `updatedAt`: pages of two
 * states must not be mixed into one list.
 */
export async function readRest<Node>(
  first: Page<Node>,
  state: string,
  next: (
    after: string,
  ) => Promise<AdminAnswer<{ readonly state: string; readonly page: Page<Node> } | undefined>>,
): Promise<WholeList<Node>> {
  const nodes = [...first.nodes];
  let { hasNextPage, endCursor } = first.pageInfo;
  while (hasNextPage) {
    // Without a cursor, or with the same one again, the loop would never end.
    const after: string | null = endCursor;
    if (after === null) return failure('unreadable-answer');
    const answer = await next(after);
    if (answer.kind === 'failure') return answer;
    if (answer.kind !== 'data' || answer.data?.state !== state) {
      return failure('changed-while-reading');
    }
    nodes.push(...answer.data.page.nodes);
    ({ hasNextPage, endCursor } = answer.data.page.pageInfo);
    if (hasNextPage && endCursor === after) return failure('unreadable-answer');
  }
  return { kind: 'nodes', nodes };
}

export function pick<Data, Part>(
  answer: AdminAnswer<Data>,
  part: (data: Data) => Part,
): AdminAnswer<Part> {
  return answer.kind === 'data' ? { kind: 'data', data: part(answer.data) } : answer;
}

/**
 * Both ends are included and written in whole seconds, as the store's own times; it is not documented how
 * the search treats fractions.
 */
function searchFor({ from, until, by }: Span): string {
  const date = by === 'creation' ? 'created_at' : 'updated_at';
  const end = `${date}:<='${toSecond(Math.floor(until / 1000))}'`;
  if (from === undefined) return end;
  return `${date}:>='${toSecond(Math.floor(from / 1000))}' AND ${end}`;
}

export function placeIn(span: Span, after: string | undefined) {
  const sortKey = span.by === 'creation' ? 'CREATED_AT' : 'UPDATED_AT';
  return { search: searchFor(span), sortKey, after: after ?? null } as const;
}

function toSecond(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export function scannedPage<Value>(
  { pageInfo: { hasNextPage, endCursor } }: Page<unknown>,
  changed: readonly Changed<Value>[],
  after: string | undefined,
): ScanAnswer<ScanPage<Value>> {
  if (!hasNextPage) return { kind: 'found', value: { changed } };
  // Without a cursor, or with the same one again, the scan would never end.
  if (endCursor === null || endCursor === after) return unavailable(failure('unreadable-answer'));
  return { kind: 'found', value: { changed, next: endCursor } };
}

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

const TYPE: Readonly<Record<ScannedKind, string>> = {
  order: 'Order',
  product: 'Product',
  discount: 'DiscountCodeNode',
};

/** At most 250 ids (Shopify, "nodes"). */
export async function findAbsent(
  ask: Ask,
  kind: ScannedKind,
  ids: readonly string[],
): Promise<ScanAnswer<ReadonlySet<string>>> {
  if (ids.length === 0) return { kind: 'found', value: new Set() };
  const answer = await ask(stillThereDocument, {
    ids: ids.map((id) => `gid://shopify/${TYPE[kind]}/${id}`),
  });
  if (answer.kind !== 'data') return unavailable(answer);
  const shown = new Set(answer.data.nodes.map((node) => node?.id.split('/').at(-1)));
  return { kind: 'found', value: new Set(ids.filter((id) => !shown.has(id))) };
}

export async function seesAllOrders(ask: Ask): Promise<ScanAnswer<boolean>> {
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind !== 'data') return unavailable(answer);
  const { accessScopes } = answer.data.currentAppInstallation;
  return {
    kind: 'found',
    value: accessScopes.some(({ handle }) => handle === 'read_all_orders'),
  };
}

/** Automatic discounts, which have no codes, are among the discounts. */
export async function countEntities(
  ask: Ask,
  kind: ScannedKind,
  span: Span,
): Promise<ScanAnswer<number>> {
  const search = searchFor(span);
  switch (kind) {
    case 'order':
      return counted(await ask(ordersCountDocument, { search }), (data) => data.ordersCount);
    case 'product':
      return counted(await ask(productsCountDocument, { search }), (data) => data.productsCount);
    case 'discount':
      return counted(
        await ask(discountsCountDocument, { search }),
        (data) => data.discountNodesCount,
      );
  }
}

function counted<Data>(
  answer: AdminAnswer<Data>,
  count: (data: Data) => { readonly count: number } | null,
): ScanAnswer<number> {
  if (answer.kind !== 'data') return unavailable(answer);
  return { kind: 'found', value: count(answer.data)?.count ?? 0 };
}
