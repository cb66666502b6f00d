import { gid } from '../model/ids.ts';
import type { ProductRow } from '../model/rows.ts';
import type { Announcement } from '../model/world.ts';
import type { Message } from './sender.ts';

/** One `[[events.subscription]]` of the app's configuration. */
export interface EventSubscription {
  readonly handle: string;
  readonly topic: string;
  readonly actions: readonly ('create' | 'update' | 'delete')[];
  readonly triggers: readonly string[];
  readonly uri: string;
  readonly query: string;
}

/** Executes the query of a subscription. */
export type RunQuery = (
  query: string,
  variables: Readonly<Record<string, string>>,
) => { readonly data?: unknown; readonly errors?: readonly unknown[] };

/**
 * The Events of an announcement for one subscription, as documented ("Events delivery structure", and the
 * changelog of 2026-09-16). Each changed field is a delivery of its own: the reference of Events says so of the
 * delivery's id, and the variables of a query can name one variant only.
 */
export function eventsFor(
  subscription: EventSubscription,
  announcement: Announcement,
  run: RunQuery,
): Omit<Message, 'eventId'>[] {
  const happened = whatHappened(announcement);
  const { topic, handle, actions, triggers, uri, query } = subscription;
  if (!happened || topic !== 'Product' || !actions.includes(happened.action)) return [];
  const { action, changes } = happened;
  return changes
    .filter(({ path }) => action !== 'update' || triggers.some((one) => isTriggered(one, path)))
    .map(({ how, place, variables }) => {
      const answer = action === 'delete' ? {} : run(query, variables);
      const changed = (list: FieldChange['how']) => (list === how ? [place] : []);
      const body = {
        topic,
        action,
        handle,
        ...(answer.errors ? { query_errors: answer.errors } : answer),
        fields_changed: {
          added: changed('added'),
          updated: changed('updated'),
          removed: changed('removed'),
        },
        query_variables: variables,
      };
      return { topic, event: { action, handle, uri }, body: JSON.stringify(body) };
    });
}

interface FieldChange {
  readonly how: 'added' | 'updated' | 'removed';
  /** As triggers name it: `product.variants.price` */
  readonly path: string;
  /** With the ids in it: `product[id: '…'].variants[id: '…'].price` */
  readonly place: string;
  readonly variables: Readonly<Record<string, string>>;
}

function whatHappened(
  announcement: Announcement,
): { action: 'create' | 'update' | 'delete'; changes: FieldChange[] } | undefined {
  switch (announcement.topic) {
    case 'products/create':
      return { action: 'create', changes: [root(announcement.product.id, 'added')] };
    case 'products/delete':
      return { action: 'delete', changes: [root(announcement.id, 'removed')] };
    case 'products/update':
      return { action: 'update', changes: fieldChanges(announcement.before, announcement.product) };
    default:
      return undefined;
  }
}

function root(id: string, how: FieldChange['how']): FieldChange {
  const productId = gid('Product', id);
  return { how, path: 'product', place: `product[id: '${productId}']`, variables: { productId } };
}

/** Inventory is a field of another topic, and times are no triggers. */
const FIELDS = {
  title: 'title',
  handle: 'handle',
  status: 'status',
  vendor: 'vendor',
  productType: 'productType',
  category: 'category',
  tags: 'tags',
  description: 'descriptionHtml',
  imageUrl: 'media.image',
} as const satisfies Partial<Record<keyof ProductRow, string>>;

function fieldChanges(before: ProductRow, after: ProductRow): FieldChange[] {
  const { place, variables } = root(after.id, 'updated');
  const own = Object.entries(FIELDS)
    .filter(([name]) => {
      const field = name as keyof typeof FIELDS;
      return JSON.stringify(before[field]) !== JSON.stringify(after[field]);
    })
    .map(([, field]) => ({ path: `product.${field}`, place: `${place}.${field}`, variables }));
  const prices = after.variants
    .filter(({ id, priceMinor }) =>
      before.variants.some((one) => one.id === id && one.priceMinor !== priceMinor),
    )
    .map(({ id }) => {
      const variantsId = gid('ProductVariant', id);
      return {
        path: 'product.variants.price',
        place: `${place}.variants[id: '${variantsId}'].price`,
        variables: { ...variables, variantsId },
      };
    });
  return [...own, ...prices].map((change) => ({ how: 'updated', ...change }));
}

/** `product.variants.*` is every field below `product.variants`. */
function isTriggered(trigger: string, path: string): boolean {
  return trigger.endsWith('.*') ? path.startsWith(trigger.slice(0, -1)) : trigger === path;
}
