import { gid } from '../model/ids.ts';
import type { GraphContext, View } from './graph-context.ts';

export function locationView({ world }: GraphContext, id: string | null): View | null {
  const row = id === null ? undefined : world.rows.locations.get(id);
  if (!row) return null;
  const { name } = row;
  return { __typename: 'Location', id: gid('Location', row.id), legacyResourceId: row.id, name };
}

export function staffView({ world }: GraphContext, id: string | null): View | null {
  const row = id === null ? undefined : world.rows.staff.get(id);
  if (!row) return null;
  const name = `${row.firstName} ${row.lastName}`;
  return { __typename: 'StaffMember', id: gid('StaffMember', row.id), name };
}

export function shopView({ world }: GraphContext): View {
  const { id, name, currency } = world.shop;
  return { __typename: 'Shop', id: gid('Shop', id), name, currencyCode: currency };
}
