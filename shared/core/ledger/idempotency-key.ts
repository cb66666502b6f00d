import { createHash } from 'node:crypto';
import type { OrderForm, WantedState } from '../mapping/wanted-state.ts';

/**
 * Names a wanted state: equal keys mean that no call is needed.
 *
 * `UpdatedDate` is left out, because it changes with every event. A cancelled order is named by its
 * id alone: cancelled is cancelled, and the refunds that follow must not cancel it again.
 */
export function idempotencyKey(wanted: WantedState): string {
  return hash(material(wanted));
}

/** The key of a cancelled order: its other fields do not matter. */
export function cancelledOrderKey(id: string): string {
  return hash({ kind: 'cancelled-order', id });
}

/**
 * Names what a completed order holds besides its amounts. Without `OrderStatus`: it is informative only,
 * and a refund changes it.
 */
export function restKey(order: OrderForm): string {
  const { OrderTotal: _, Products: __, UpdatedDate: ___, OrderStatus: ____, ...rest } = order;
  return hash(rest);
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

function material(wanted: WantedState): unknown {
  switch (wanted.kind) {
    case 'order': {
      const { UpdatedDate: _, ...order } = wanted.order;
      return { kind: wanted.kind, id: wanted.id, order };
    }
    case 'cancelled-order':
      return { kind: wanted.kind, id: wanted.id };
    case 'product':
    case 'coupon':
    case 'inactive-coupon':
    case 'member':
    case 'deleted-member':
      return wanted;
  }
}

/** The same text for the same state: keys sorted, undefined left out. */
function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(fields[name])]));
}
