import type { StoreAnswer } from '../../../core/store/store.ts';
import { unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { customerByEmailDocument } from '../documents.gen.ts';

/** An address belongs to one customer at most (Shopify, "CustomerIdentifierInput"). */
export async function findCustomer(ask: Ask, email: string): Promise<StoreAnswer<string>> {
  const answer = await ask(customerByEmailDocument, { email });
  if (answer.kind !== 'data') return unavailable(answer);
  const id = answer.data.customerByIdentifier?.id.split('/').at(-1);
  return id === undefined ? { kind: 'gone' } : { kind: 'found', value: id };
}
