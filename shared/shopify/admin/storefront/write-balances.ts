import type { BalanceChange, BalanceWritten } from '../../../core/balances/point-balance.ts';
import { type UserError, unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { deleteMetafieldsDocument, setMetafieldsDocument } from '../documents.gen.ts';
import { BALANCE_TYPES, type BalanceField } from './balance-definitions.ts';

/** Shopify, "metafieldsSet". */
const METAFIELDS_PER_CALL = 25;

/** After a call without an answer: the store may still be executing it. */
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
  return ['time-out', 'connection', 'aborted'].includes(answer.why)
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
