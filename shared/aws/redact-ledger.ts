import { batchesOf } from '../core/events/event.ts';
import { LEDGER_FORMAT } from '../core/events/formats.ts';
import {
  type LedgerKey,
  ledgerKeyText,
  NewerItem,
  type RedactionMark,
} from '../core/ledger/ledger.ts';
import { failedCondition } from './aws-client.ts';
import {
  itemKeyOf,
  keyOnly,
  names,
  newerFormatIn,
  type ReadSettings,
  readItems,
} from './ledger-item.ts';

const REDACTIONS_AT_ONCE = 10;

interface RedactSettings extends ReadSettings {
  readonly newWriteId: () => string;
}

export async function redactItems(
  settings: RedactSettings,
  keys: readonly LedgerKey[],
  mark: RedactionMark,
): Promise<void> {
  const faults: unknown[] = [];
  for (const chunk of batchesOf(keys, REDACTIONS_AT_ONCE)) {
    for (const call of await Promise.allSettled(
      chunk.map((key) => redactOne(settings, key, mark)),
    )) {
      if (call.status === 'rejected') faults.push(call.reason);
    }
  }
  // Thrown at the end, so that one failing entry does not prevent the redaction of the others.
  const [first] = faults;
  if (first instanceof NewerItem && faults.every((one) => one instanceof NewerItem)) throw first;
  if (faults.length > 0) {
    throw new AggregateError(faults, `${faults.length} entries could not be redacted`);
  }
}

async function redactOne(
  settings: RedactSettings,
  key: LedgerKey,
  mark: RedactionMark,
): Promise<void> {
  const { client, table, newWriteId } = settings;
  const text = ledgerKeyText(key);
  const itemKey = itemKeyOf(text);
  const redacting = client.updateItem({
    TableName: table,
    Key: keyOnly(itemKey),
    // A newer release may keep personal data in other attributes.
    ConditionExpression: 'attribute_not_exists(#format) OR #format <= :format',
    // A new revision, so that a worker that read the personal data before cannot write it back.
    UpdateExpression:
      'SET #redactedAt = :at, #expiresAt = :expires, #writeId = :writeId, #version = if_not_exists(#version, :none), #uncertain = if_not_exists(#uncertain, :false) REMOVE #remembered ADD #revision :one',
    ExpressionAttributeNames: names(
      ...(['redactedAt', 'expiresAt', 'writeId', 'version', 'uncertain'] as const),
      ...(['remembered', 'revision', 'format'] as const),
    ),
    ExpressionAttributeValues: {
      ':at': { N: String(mark.redactedAt) },
      ':expires': { N: String(mark.expiresAt) },
      ':writeId': { S: newWriteId() },
      ':none': { N: '0' },
      ':false': { BOOL: false },
      ':one': { N: '1' },
      ':format': { N: String(LEDGER_FORMAT) },
    },
  });
  await redacting.catch(async (error: unknown) => {
    if (!failedCondition(error)) throw error;
    const [item] = await readItems(settings, [itemKey]);
    const newer = item && newerFormatIn(item);
    if (newer !== undefined) throw new NewerItem(text, newer);
  });
}
