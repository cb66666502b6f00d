import type { StoreAnswer } from '../../core/store/store.ts';
import type { StoreMember } from '../../store/member.ts';
import { readCustomerWebhook } from '../webhooks/read-customer-webhooks.ts';
import { failure, unavailable } from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import { memberDocument } from './documents.gen.ts';
import { type Enrichment, metafieldKeys } from './orders/enrichment.ts';
import { customerPayload } from './orders/order-as-payload.ts';

export async function readMember(
  ask: Ask,
  id: string,
  enrichment: Enrichment,
): Promise<StoreAnswer<StoreMember>> {
  const metafields = metafieldKeys(enrichment, 'customer');
  const answer = await ask(memberDocument, {
    id: `gid://shopify/Customer/${id}`,
    withMetafields: metafields.length > 0,
    metafields,
  });
  if (answer.kind !== 'data') return unavailable(answer);
  const { customer: node } = answer.data;
  if (!node) return { kind: 'gone' };
  // In the shape of a webhook's body, so that one reader reads both.
  const read = readCustomerWebhook({ ...customerPayload(node), updated_at: node.updatedAt });
  if (read.kind !== 'read') return unavailable(failure('unreadable-answer'));
  const owned = (node.metafields?.nodes ?? []).map(
    (one) => ({ owner: 'customer', ...one }) as const,
  );
  return { kind: 'found', value: { ...read.member, metafields: owned } };
}
