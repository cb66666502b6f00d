import { gid } from '../model/ids.ts';
import type { MetafieldDefinitionRow, MetafieldRow } from '../model/rows.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';

interface MetafieldArguments {
  readonly namespace?: string | null;
  readonly key: string;
}

interface MetafieldsArguments extends PageArguments {
  readonly namespace?: string | null;
  /** `namespace.key` */
  readonly keys?: readonly string[] | null;
}

/** The fields of every type with metafields. */
export function metafieldFields(context: GraphContext, ownerGid: string): View {
  const own = () =>
    [...context.world.rows.metafields.values()].filter((one) => one.ownerGid === ownerGid);
  return {
    metafield: ({ namespace, key }: MetafieldArguments) => {
      const wanted = namespace ?? 'custom';
      const found = own().find((one) => one.namespace === wanted && one.key === key);
      return found ? metafieldView(found) : null;
    },
    metafields: (args: MetafieldsArguments) =>
      connect(context, args, {
        rows: own().filter(
          ({ namespace, key }) =>
            (args.namespace == null || namespace === args.namespace) &&
            (args.keys == null || args.keys.includes(`${namespace}.${key}`)),
        ),
        id: ({ id }) => id,
        view: metafieldView,
      }),
  };
}

export function metafieldView(row: MetafieldRow): View {
  return {
    __typename: 'Metafield',
    id: gid('Metafield', row.id),
    namespace: row.namespace,
    key: row.key,
    value: row.value,
  };
}

export function definitionView(row: MetafieldDefinitionRow): View {
  return {
    __typename: 'MetafieldDefinition',
    id: gid('MetafieldDefinition', row.id),
    key: row.key,
    type: { name: row.type },
    access: { storefront: row.storefront, customerAccount: row.customerAccount },
  };
}
