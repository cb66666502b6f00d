import type { MetafieldDefinitionRow, MetafieldRow } from './rows.ts';
import { done, type Input, moment, type Outcome, refused, type World } from './world.ts';

export function setMetafield(world: World, draft: Input<'metafieldDraft'>): Outcome<MetafieldRow> {
  const { rows, ids } = world;
  const key = metafieldKey(draft);
  const id = rows.metafields.get(key)?.id ?? ids.next('Metafield');
  const metafield = { id, ...draft, updatedAt: moment(world) };
  rows.metafields.put(key, metafield);
  return done(metafield);
}

export function deleteMetafield(
  { rows }: World,
  reference: Input<'metafieldReference'>,
): Outcome<string> {
  const key = metafieldKey(reference);
  if (!rows.metafields.get(key)) return refused('There is no such metafield.');
  rows.metafields.delete(key);
  return done(reference.key);
}

/** Changes an existing definition, except its type. */
export function defineMetafield(
  { rows, ids }: World,
  definition: Input<'metafieldDefinition'>,
): Outcome<MetafieldDefinitionRow> {
  const key = definitionKey(definition);
  const known = rows.metafieldDefinitions.get(key);
  const row = { id: known?.id ?? ids.next('MetafieldDefinition'), ...known, ...definition };
  rows.metafieldDefinitions.put(key, row);
  return done(row);
}

export const metafieldKey = (one: Pick<MetafieldRow, 'ownerGid' | 'namespace' | 'key'>): string =>
  JSON.stringify([one.ownerGid, one.namespace, one.key]);

export const definitionKey = (
  one: Pick<MetafieldDefinitionRow, 'ownerType' | 'namespace' | 'key'>,
): string => JSON.stringify([one.ownerType, one.namespace, one.key]);
