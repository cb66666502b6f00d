import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';

/** One item of the table as anybody could read it: all of its texts, also what is packed in them. */
export type RawItem = string;

/** Every item, whatever its kind and form. */
export async function readRawItems(
  client: DynamoDBClient,
  TableName: string,
): Promise<readonly RawItem[]> {
  const items: RawItem[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    items.push(...Items.map((item) => textsOf(item).join('\n')));
  }
  return items;
}

function textsOf(value: unknown): readonly string[] {
  if (value instanceof Uint8Array) return unpacked(value);
  if (typeof value === 'string') {
    const isPacked = /^[\w+/-]{16,}={0,2}$/.test(value);
    return [value, ...(isPacked ? unpacked(Buffer.from(value, 'base64')) : [])];
  }
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}

const UNPACK = [gunzipSync, inflateSync, inflateRawSync, brotliDecompressSync];

function unpacked(bytes: Uint8Array): readonly string[] {
  const texts = [Buffer.from(bytes).toString('utf8')];
  for (const unpack of UNPACK) {
    try {
      texts.push(unpack(bytes).toString('utf8'));
    } catch {
      // Not in this form.
    }
  }
  return texts;
}

/** The items of one shop: their keys and texts name it. */
export const itemsOf = (items: readonly RawItem[], shop: string): readonly RawItem[] =>
  items.filter((item) => item.includes(shop));

/** Which of these texts of a person the items hold, also as a plain hash. */
export function foundIn(items: readonly RawItem[], texts: readonly string[]): readonly string[] {
  const all = items.join('\n').toLowerCase();
  const hashesOf = (text: string) =>
    (['hex', 'base64', 'base64url'] as const).map((form) =>
      createHash('sha256').update(text).digest(form).toLowerCase(),
    );
  return texts.filter((text) => {
    const plain = text.toLowerCase();
    const forms = [plain, encodeURIComponent(plain).toLowerCase(), ...hashesOf(plain)];
    return forms.some((form) => all.includes(form));
  });
}
