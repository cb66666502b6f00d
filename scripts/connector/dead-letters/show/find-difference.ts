import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import { recallOrder, recallProduct } from '../../../../shared/core/mapping/wanted-state.ts';
import type { PreviewedCall } from '../../../../shared/core/sync/preview-sync.ts';

/** One field that would be sent otherwise than it was applied. */
export interface FieldDifference {
  readonly field: string;
  readonly applied: unknown;
  readonly now: unknown;
}

/** Undefined where there is nothing to compare with, or the call does not carry the whole. */
export function differencesOf(
  { operation, body }: PreviewedCall,
  entry: EntityEntry | undefined,
): readonly FieldDifference[] | undefined {
  const isWhole = operation === 'sendOrder' || operation === 'updateProduct';
  if (!body || !isWhole || entry?.appliedKey === undefined) return undefined;
  return findDifferences(body, entry.remembered);
}

/**
 * How a form differs from what the ledger remembers of the applied one. The ledger keeps a hash of the
 * whole, and of a few fields the value: only those can be compared one by one.
 */
function findDifferences(form: object, remembered: string | undefined): FieldDifference[] {
  const applied = rememberedFields(remembered);
  const fields = new Map<string, unknown>(Object.entries(form));
  return Object.entries(applied).flatMap(([field, before]) => {
    const now = fields.get(field);
    return JSON.stringify(before) === JSON.stringify(now) ? [] : [{ field, applied: before, now }];
  });
}

function rememberedFields(remembered: string | undefined): object {
  const product = recallProduct(remembered);
  if (product) return product;
  const order = recallOrder(remembered);
  if (!order) return {};
  const { basics, customer, branch, salesPerson } = order;
  return {
    ...basics,
    ...(customer && { Customer: customer }),
    ...(branch && { Branch: branch }),
    ...(salesPerson && { SalesPerson: salesPerson }),
  };
}
