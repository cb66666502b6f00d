import type { CodeUses } from '../../../core/redeem/reward-store.ts';
import { unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { codeUsesDocument } from '../documents.gen.ts';

export async function readCodeUses(ask: Ask, discountIds: readonly string[]): Promise<CodeUses> {
  const answer = await ask(codeUsesDocument, { ids: discountIds });
  if (answer.kind !== 'data') return unavailable(answer);
  const uses = new Map<string, number>();
  for (const node of answer.data.nodes) {
    if (!node || !('codeDiscount' in node)) continue;
    const { codeDiscount } = node;
    if ('asyncUsageCount' in codeDiscount) uses.set(node.id, codeDiscount.asyncUsageCount);
  }
  return { kind: 'read', uses };
}
