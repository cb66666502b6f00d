import type { BalanceChange, BalanceWritten } from '../../rewards/balances/point-balance.ts';
import { type AdminAnswer, type UserError, unavailable } from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import {
  createDefinitionDocument,
  customerDefinitionsDocument,
  deleteMetafieldsDocument,
  openDefinitionDocument,
  setMetafieldsDocument,
} from './documents.gen.ts';

/** Shopify, "metafieldsSet". */
const METAFIELDS_PER_CALL = 25;

/** After a call without an answer of the store itself: it may still be executing it. */
const AFTER_UNKNOWN_SECONDS = 30;

/**
 * Sets the metafields of as many customers in one call as fit. A call is all or nothing: when the store
 * refuses it because of some customers, it is repeated without them.
 */
export async function writeBalances(
  ask: Ask,
  namespace: string,
  changes: readonly BalanceChange[],
): Promise<readonly BalanceWritten[]> {
  const written = new Map<BalanceChange, BalanceWritten>();
  for (const chunk of chunksThatFit(changes, namespace)) {
    let left = chunk;
    while (left.length > 0) {
      const settled = await setTogether(ask, namespace, left);
      for (const [change, result] of settled) written.set(change, result);
      left = left.filter((change) => !settled.has(change));
    }
  }
  await deleteAbsent(ask, namespace, written);
  return changes.map((change) => written.get(change) ?? { kind: 'unavailable', why: 'no-word' });
}

/** Every call settles at least one change, so the loop above ends. */
async function setTogether(
  ask: Ask,
  namespace: string,
  changes: readonly BalanceChange[],
): Promise<ReadonlyMap<BalanceChange, BalanceWritten>> {
  const all = (result: BalanceWritten) => new Map(changes.map((change) => [change, result]));
  const metafields = changes.flatMap((change) =>
    metafieldsOf(change, namespace).map((input) => ({ change, input })),
  );
  const answer = await ask(setMetafieldsDocument, {
    metafields: metafields.map(({ input }) => input),
  });
  if (answer.kind === 'data') return all({ kind: 'written' });
  if (answer.kind === 'failure') return all(waitIfUnknown(unavailable(answer)));

  const refused = new Map<BalanceChange, BalanceWritten>();
  for (const error of answer.errors) {
    const index = /^metafields\.(\d+)(?:\.|$)/.exec(error.field)?.[1];
    const change = index === undefined ? undefined : metafields[Number(index)]?.change;
    // About the definition or the whole call, not about a customer.
    if (!change || NOT_OF_A_CUSTOMER.has(error.code ?? '')) return all(failureOfCall(error));
    if (!refused.has(change)) refused.set(change, failureOfCustomer(error));
  }
  return refused;
}

/** Another definition has the name, or the app may not write: a person must act. */
const NOT_OF_A_CUSTOMER: ReadonlySet<string> = new Set([
  'APP_NOT_AUTHORIZED',
  'CAPABILITY_VIOLATION',
  'INTERNAL_ERROR',
  'INVALID_TYPE',
]);

function failureOfCall({ code = 'unnamed' }: UserError): BalanceWritten {
  const why = `refused-${code.toLowerCase().replaceAll('_', '-')}`;
  if (code === 'INTERNAL_ERROR') return { kind: 'unavailable', why };
  return { kind: 'unavailable', why, misconfigured: true };
}

function failureOfCustomer({ field, code = 'unnamed' }: UserError): BalanceWritten {
  return field.endsWith('.ownerId') ? { kind: 'unknown-customer' } : { kind: 'refused', code };
}

function waitIfUnknown(answer: ReturnType<typeof unavailable>): BalanceWritten {
  const afterSeconds = Math.max(answer.afterSeconds ?? 0, AFTER_UNKNOWN_SECONDS);
  return ['time-out', 'connection', 'aborted', 'server-error', 'not-the-api'].includes(answer.why)
    ? { ...answer, afterSeconds, mayHaveHappened: true }
    : answer;
}

/** `metafieldsSet` cannot remove a value: the store refuses a blank one. */
async function deleteAbsent(
  ask: Ask,
  namespace: string,
  written: Map<BalanceChange, BalanceWritten>,
): Promise<void> {
  const absent = [...written].flatMap(([change, { kind }]) =>
    kind === 'written' ? absentIn(change).map((key) => ({ change, key })) : [],
  );
  for (let start = 0; start < absent.length; start += METAFIELDS_PER_CALL) {
    const chunk = absent.slice(start, start + METAFIELDS_PER_CALL);
    const answer = await ask(deleteMetafieldsDocument, {
      metafields: chunk.map(({ change: { customerId }, key }) => ({
        ownerId: ownerOf(customerId),
        namespace,
        key,
      })),
    });
    if (answer.kind === 'data') continue;
    for (const { change } of chunk) written.set(change, waitIfUnknown(unavailable(answer)));
  }
}

function absentIn({ tier, expiring }: BalanceChange): readonly BalanceField[] {
  return [
    ...(tier === null ? (['tier'] as const) : []),
    ...(expiring === null ? (['expiring_points', 'expires_at'] as const) : []),
  ];
}

function metafieldsOf(
  { customerId, points, cashback, tier, expiring }: BalanceChange,
  namespace: string,
) {
  const values: Partial<Record<BalanceField, string>> = {
    points,
    cashback,
    ...(typeof tier === 'string' && { tier }),
    ...(expiring && { expiring_points: expiring.points, expires_at: inUtc(expiring.at) }),
  };
  return Object.entries(values).map(([key, value]) => ({
    ownerId: ownerOf(customerId),
    namespace,
    key,
    // With the type, a balance can be written before the definition exists.
    type: BALANCE_TYPES[key as BalanceField],
    value,
  }));
}

/** Shopify, "List of data types": a date_time names no zone and is taken as UTC. */
const inUtc = (at: string): string => at.replace(/Z$/, '');

const ownerOf = (customerId: string): string => `gid://shopify/Customer/${customerId}`;

function chunksThatFit(changes: readonly BalanceChange[], namespace: string): BalanceChange[][] {
  const chunks: BalanceChange[][] = [];
  let room = 0;
  for (const change of changes) {
    const needs = metafieldsOf(change, namespace).length;
    if (needs > room) {
      chunks.push([]);
      room = METAFIELDS_PER_CALL;
    }
    chunks.at(-1)?.push(change);
    room -= needs;
  }
  return chunks;
}

/**
 * The customer metafields and their types in the store. number_decimal has 13 digits before the point and 9
 * behind it (Shopify, "List of data types").
 */
const BALANCE_TYPES = {
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

type DefinitionStates =
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

type DefinitionMade =
  | { readonly kind: 'made' }
  /** `code` is the error code of the store. */
  | { readonly kind: 'refused'; readonly code: string }
  | Unavailable;

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
