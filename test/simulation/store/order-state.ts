import type { OrderRow } from './rows.ts';

/** Cancelled, or nothing of it is left: the store then changes nothing more of what counts. */
export function isOver({ cancelledAt, paid, lines }: OrderRow): boolean {
  return cancelledAt !== undefined || paid === 'refunded' || lines.every(({ kept }) => kept === 0);
}
