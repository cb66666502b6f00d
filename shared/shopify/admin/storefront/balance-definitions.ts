import { type AdminAnswer, unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import {
  createDefinitionDocument,
  customerDefinitionsDocument,
  openDefinitionDocument,
} from '../documents.gen.ts';

/**
 * The customer metafields and their types in the store. number_decimal has 13 digits before the point and 9
 * behind it (Shopify, "List of data types").
 */
export const BALANCE_TYPES = {
  points: 'number_decimal',
  cashback: 'number_decimal',
  tier: 'single_line_text_field',
  expiring_points: 'number_decimal',
  expires_at: 'date_time',
} as const;

export type BalanceField = keyof typeof BALANCE_TYPES;

const FIELDS = Object.keys(BALANCE_TYPES) as readonly BalanceField[];

/** As merchants see them on the page of a customer. */
const NAMES: Readonly<Record<BalanceField, string>> = {
  points: 'Loyalty points',
  cashback: 'Loyalty cashback',
  tier: 'Loyalty tier',
  expiring_points: 'Loyalty points that expire next',
  expires_at: 'When they expire',
};

/** `closed`: themes or customer accounts cannot read it. */
export type DefinitionState =
  | { readonly field: BalanceField; readonly state: 'missing' | 'closed' | 'fine' }
  /** The definition of another app or of the merchant, with another type: balances cannot be written. */
  | { readonly field: BalanceField; readonly state: 'other-type'; readonly type: string };

type Unavailable = ReturnType<typeof unavailable>;

export type DefinitionStates =
  | { readonly kind: 'read'; readonly states: readonly DefinitionState[] }
  | Unavailable;

export async function readDefinitions(ask: Ask, namespace: string): Promise<DefinitionStates> {
  const answer = await ask(customerDefinitionsDocument, { namespace });
  if (answer.kind !== 'data') return unavailable(answer);
  const { nodes } = answer.data.metafieldDefinitions;
  const states = FIELDS.map((field): DefinitionState => {
    const known = nodes.find(({ key }) => key === field);
    if (!known) return { field, state: 'missing' };
    const type = known.type.name;
    if (type !== BALANCE_TYPES[field]) return { field, state: 'other-type', type };
    const { storefront, customerAccount } = known.access;
    const open = storefront === 'PUBLIC_READ' && customerAccount !== 'NONE';
    return { field, state: open ? 'fine' : 'closed' };
  });
  return { kind: 'read', states };
}

export type DefinitionMade =
  | { readonly kind: 'made' }
  /** `code` is the error code of the store. */
  | { readonly kind: 'refused'; readonly code: string }
  | Unavailable;

/** Creates a missing definition, or opens a closed one. */
export async function repairDefinition(
  ask: Ask,
  namespace: string,
  { field, state }: DefinitionState,
): Promise<DefinitionMade> {
  const identity = { ownerType: 'CUSTOMER', namespace, key: field } as const;
  const access = { storefront: 'PUBLIC_READ', customerAccount: 'READ' } as const;
  switch (state) {
    case 'missing':
      return resultOf(
        await ask(createDefinitionDocument, {
          definition: {
            ...identity,
            name: NAMES[field],
            type: BALANCE_TYPES[field],
            pin: true,
            access,
          },
        }),
      );
    case 'closed':
      return resultOf(await ask(openDefinitionDocument, { definition: { ...identity, access } }));
    case 'fine':
      return { kind: 'made' };
    case 'other-type':
      return { kind: 'refused', code: 'INVALID_TYPE' };
  }
}

function resultOf(answer: AdminAnswer<unknown>): DefinitionMade {
  if (answer.kind === 'data') return { kind: 'made' };
  if (answer.kind === 'failure') return unavailable(answer);
  return { kind: 'refused', code: answer.errors[0]?.code ?? 'unnamed' };
}
