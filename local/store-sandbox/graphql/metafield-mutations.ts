import { definitionKey } from '../model/metafields.ts';
import { denyAccess } from './access.ts';
import { findNode } from './find-node.ts';
import type { GraphContext, View } from './graph-context.ts';
import { definitionView, metafieldView } from './metafield-view.ts';

interface MetafieldInput {
  readonly ownerId: string;
  readonly namespace?: string | null;
  readonly key: string;
  readonly type?: string | null;
  readonly value: string;
}

interface DefinitionInput {
  readonly ownerType: string;
  readonly namespace?: string | null;
  readonly key: string;
  readonly name?: string | null;
  readonly type?: string;
  readonly pin?: boolean | null;
  readonly access?: {
    readonly storefront?: 'NONE' | 'PUBLIC_READ' | null;
    readonly customerAccount?: 'NONE' | 'READ' | 'READ_WRITE' | null;
  } | null;
}

interface Refusal {
  readonly field: readonly string[];
  readonly message: string;
  readonly code: string;
}

/** Shopify, "metafieldsSet". */
const MAX_AT_ONCE = 25;
const DEFAULT_NAMESPACE = 'custom';

/** The mutations of metafields and their definitions. */
export function metafieldMutations(context: GraphContext): View {
  const { world, perform } = context;
  const definitionOf = (one: {
    readonly ownerType: string;
    readonly namespace?: string | null;
    readonly key: string;
  }) =>
    world.rows.metafieldDefinitions.get(
      definitionKey({ ...one, namespace: one.namespace ?? DEFAULT_NAMESPACE }),
    );

  /** Writing a metafield needs the scope of its owner. */
  function checkScopes(owners: readonly string[], fieldName: string): void {
    const ofCustomers = owners.some((owner) => owner.startsWith('gid://shopify/Customer/'));
    if (ofCustomers && !context.scopes.has('write_customers')) {
      throw denyAccess('write_customers', fieldName);
    }
  }

  function faultOf({ ownerId, namespace, key, type, value }: MetafieldInput, index: number) {
    const at = (field: string) => ['metafields', String(index), field];
    const fault = (field: string, message: string, code: string): Refusal[] => [
      { field: at(field), message, code },
    ];
    if (!findNode(context, ownerId)) return fault('ownerId', 'Owner does not exist.', 'INVALID');
    const ownerType = ownerId.split('/').at(-2)?.toUpperCase() ?? '';
    const definition = definitionOf({ ownerType, namespace: namespace ?? null, key });
    if (type == null && !definition) return fault('type', "can't be blank", 'BLANK');
    if (type != null && definition && definition.type !== type) {
      const message = `Type '${type}' must be consistent with the definition's type: '${definition.type}'.`;
      return fault('type', message, 'INVALID_TYPE');
    }
    if (value === '') return fault('value', 'may not be empty', 'BLANK');
    const wanted = type ?? definition?.type;
    if (wanted === 'number_decimal' && !/^-?\d{1,13}(?:\.\d{1,9})?$/.test(value)) {
      return fault('value', 'must be a decimal', 'INVALID_VALUE');
    }
    if (wanted === 'date_time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)) {
      return fault('value', 'must be a date and time', 'INVALID_VALUE');
    }
    if (wanted === 'single_line_text_field' && /[\r\n]/.test(value)) {
      return fault('value', 'must be a single line', 'INVALID_VALUE');
    }
    return [];
  }

  const refusal = (name: string, ...userErrors: readonly Refusal[]) => ({
    [name]: null,
    userErrors,
  });

  return {
    // All or none, according to the documentation of the mutation.
    metafieldsSet: ({ metafields }: { metafields: readonly MetafieldInput[] }) => {
      checkScopes(
        metafields.map(({ ownerId }) => ownerId),
        'metafieldsSet',
      );
      if (metafields.length > MAX_AT_ONCE) {
        const message = `Exceeded the maximum metafields input limit of ${MAX_AT_ONCE}.`;
        return refusal('metafields', {
          field: ['metafields'],
          message,
          code: 'LESS_THAN_OR_EQUAL_TO',
        });
      }
      const faults = metafields.flatMap(faultOf);
      if (faults.length > 0) return refusal('metafields', ...faults);
      const views = metafields.flatMap(({ ownerId, namespace, key, type, value }) => {
        const input = { ownerGid: ownerId, namespace: namespace ?? DEFAULT_NAMESPACE, key, value };
        const set = perform('setMetafield', type == null ? input : { ...input, type });
        return set.kind === 'done' ? [metafieldView(set.value)] : [];
      });
      return { metafields: views, userErrors: [] };
    },
    metafieldsDelete: ({
      metafields,
    }: {
      metafields: readonly { ownerId: string; namespace: string; key: string }[];
    }) => ({
      deletedMetafields: metafields.map(({ ownerId, namespace, key }) => {
        const gone = perform('deleteMetafield', { ownerGid: ownerId, namespace, key });
        return gone.kind === 'done' ? { ownerId, namespace, key } : null;
      }),
      userErrors: [],
    }),
    metafieldDefinitionCreate: ({ definition }: { definition: DefinitionInput }) => {
      const { ownerType, key, name, type = '', pin, access } = definition;
      if (definitionOf(definition)) {
        const message = 'Key is in use for Customer metafields on this namespace.';
        return refusal('createdDefinition', {
          field: ['definition', 'key'],
          message,
          code: 'TAKEN',
        });
      }
      const made = perform('defineMetafield', {
        ownerType,
        namespace: definition.namespace ?? DEFAULT_NAMESPACE,
        key,
        name: name ?? key,
        type,
        pinned: pin ?? false,
        storefront: access?.storefront ?? 'NONE',
        customerAccount: access?.customerAccount ?? 'NONE',
      });
      return made.kind === 'done'
        ? { createdDefinition: definitionView(made.value), userErrors: [] }
        : refusal('createdDefinition', {
            field: ['definition'],
            message: made.why,
            code: 'INVALID',
          });
    },
    metafieldDefinitionUpdate: ({ definition }: { definition: DefinitionInput }) => {
      const known = definitionOf(definition);
      const missing = { message: 'Definition not found.', code: 'NOT_FOUND' };
      if (!known) return refusal('updatedDefinition', { field: ['definition'], ...missing });
      const { id: _, ...row } = known;
      const { access } = definition;
      const changed = perform('defineMetafield', {
        ...row,
        storefront: access?.storefront ?? row.storefront,
        customerAccount: access?.customerAccount ?? row.customerAccount,
      });
      return changed.kind === 'done'
        ? { updatedDefinition: definitionView(changed.value), userErrors: [] }
        : refusal('updatedDefinition', { field: ['definition'], ...missing });
    },
  };
}
