import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { StoreEntity } from '../../core/store/store.ts';
import { readAmount, ZERO } from '../../store/money.ts';
import type { StoreOrder, StoreProduct } from '../../store/store-entities.ts';
import {
  type OrderLineNode,
  type OrderNode,
  orderAsPayload,
  orderDetails,
  type ShippingNode,
  type WholeOrder,
} from '../admin/order-as-payload.ts';
import { type CodeDiscount, couponFromNode, type RedeemCode } from '../admin/read-discounts.ts';
import { needsRefunds } from '../admin/read-orders.ts';
import { idFromGid } from '../entity-id.ts';
import { isGiftCard, readOrderWebhook } from '../webhooks/read-order-webhook.ts';
import { type ProductNode, productFromNode } from '../webhooks/read-product-webhook.ts';
import type { BulkKind } from './bulk-operation.ts';

/** Where reading continues. */
export interface BulkPlace {
  /** The beginning of an owner's line. */
  readonly byte: number;
  /** How many children of that owner have been read: a discount can have any number of codes. */
  readonly skip: number;
}

export const FILE_START: BulkPlace = { byte: 0, skip: 0 };

/** `next` is the place after the entity. */
export type BulkEntity =
  | { readonly kind: 'entity'; readonly entity: StoreEntity; readonly next: BulkPlace }
  /** The file does not hold all of this order: the worker reads it from the store. */
  | { readonly kind: 'ask'; readonly id: string; readonly next: BulkPlace }
  /** A required field is missing. */
  | { readonly kind: 'unreadable'; readonly next: BulkPlace };

/** The lines must begin at `place.byte`. */
export function readEntities(
  kind: BulkKind,
  lines: AsyncIterable<BulkLine>,
  place: BulkPlace,
): AsyncGenerator<BulkEntity> {
  switch (kind) {
    case 'orders':
      return readOrders(lines);
    case 'products':
      return readProducts(lines);
    case 'discounts':
      return readCoupons(lines, place);
  }
}

async function* readOrders(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntity> {
  for await (const group of readGroups(lines)) {
    const next = { byte: group.end, skip: 0 };
    const read = orderFromBulk(group);
    if (read.kind === 'order') yield { kind: 'entity', entity: read, next };
    else yield { ...read, next };
  }
}

async function* readProducts(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntity> {
  for await (const group of readGroups(lines)) {
    const product = productFromBulk(group);
    const next = { byte: group.end, skip: 0 };
    if (product) yield { kind: 'entity', entity: { kind: 'product', product }, next };
    else yield { kind: 'unreadable', next };
  }
}

/** One code at a time: the codes of one discount may not fit into memory. */
async function* readCoupons(
  lines: AsyncIterable<BulkLine>,
  place: BulkPlace,
): AsyncGenerator<BulkEntity> {
  let discount: { readonly fields: Fields; readonly byte: number } | undefined;
  let end = place.byte;
  let read = 0;
  let skip = place.skip;
  for await (const entry of readEntries(lines)) {
    if (entry.kind === 'owner') {
      if (discount) skip = 0;
      discount = { fields: entry.fields, byte: end };
      read = 0;
    } else if (discount) {
      read += 1;
      if (read > skip)
        yield couponOf(discount.fields, entry.fields, { byte: discount.byte, skip: read });
    }
    end = entry.end;
  }
}

function couponOf(discount: Fields, code: Fields, next: BulkPlace): BulkEntity {
  const { id, codeDiscount } = discount;
  const coupon =
    typeof id === 'string' && typeof codeDiscount === 'object'
      ? couponFromNode(id, codeDiscount as CodeDiscount, code as unknown as RedeemCode)
      : undefined;
  return coupon
    ? { kind: 'entity', entity: { kind: 'coupon', coupon }, next }
    : { kind: 'unreadable', next };
}

type BulkOrder =
  | { readonly kind: 'order'; readonly order: StoreOrder }
  | { readonly kind: 'ask'; readonly id: string }
  | { readonly kind: 'unreadable' };

/** Read by the same rules as a webhook. */
function orderFromBulk({ owner, children }: BulkGroup): BulkOrder {
  const id = idFromGid(typeof owner.id === 'string' ? owner.id : undefined, 'Order');
  if (id === undefined) return { kind: 'unreadable' };
  const ofType = <Node>(fits: (type: string) => boolean) =>
    children.filter(({ __typename: type }) => fits(String(type))) as unknown as readonly Node[];
  const lines = ofType<OrderLineNode>((type) => type === 'LineItem');
  const node = toNode(
    owner,
    ofType<Fields>((type) => type === 'LocalizedField'),
  );
  if (hasTip(node) || hasCountingRefund(node, lines) || node.paymentGatewayNames.some(isGiftCard)) {
    return { kind: 'ask', id };
  }
  const order: WholeOrder = {
    node,
    lines,
    // DiscountCodeApplication, ManualDiscountApplication, …
    discounts: ofType((type) => type.endsWith('Application')),
    shipping: ofType<ShippingNode>((type) => type === 'ShippingLine'),
    refunds: new Map(),
    tipLines: new Set(),
  };
  const read = readOrderWebhook(orderAsPayload(order));
  if (read.kind !== 'read') return { kind: 'unreadable' };
  return { kind: 'order', order: { ...read.order, ...orderDetails(order) } };
}

/** In the form of `order.graphql`, with its lists and metafields. */
function toNode(owner: Fields, localized: readonly Fields[]): OrderNode {
  const customer = owner.customer as Fields | null;
  return {
    ...owner,
    customer: customer && { ...customer, metafields: { nodes: metafieldsOf(customer) } },
    metafields: { nodes: metafieldsOf(owner) },
    localizedFields: { nodes: localized },
  } as unknown as OrderNode;
}

function metafieldsOf(fields: Fields): readonly unknown[] {
  return Object.entries(fields)
    .filter(([name, value]) => /^metafield\d+$/.test(name) && value !== null)
    .map(([, value]) => value);
}

/** Only the sales agreements show which line is the tip. */
function hasTip({ totalTipReceivedSet }: OrderNode): boolean {
  return readAmount(totalTipReceivedSet.shopMoney.amount) !== ZERO;
}

/** Only the refund itself states the amounts. */
function hasCountingRefund({ refunds }: OrderNode, lines: readonly OrderLineNode[]): boolean {
  return refunds.length > 0 && needsRefunds(lines);
}

/** Undefined when a required field is missing. */
function productFromBulk({ owner, children }: BulkGroup): StoreProduct | undefined {
  const pictures = children.filter(({ __typename: type }) => type === 'MediaImage');
  return productFromNode({ ...owner, media: { nodes: pictures } } as unknown as ProductNode);
}

// node:http only as a type: the file of a real store is behind https.
export interface BulkLine {
  readonly text: string;
  /** The byte after this line. */
  readonly end: number;
}

export interface BulkFile {
  readonly url: string;
  /** Ends the reading with an error: an entity that was cut must not pass for a whole one. */
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** The address of the file is not, or no longer, valid. */
export class BulkFileGone extends Error {
  override readonly name = 'BulkFileGone';
}

/** Consecutive attempts without a new byte. */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
/** Without a byte while a reader waits. */
const IDLE_TIMEOUT_MS = 60_000;
/** Longer than any entity; protects the memory from a file without lines. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads lines from a byte on, one at a time: only the buffers of the connection are read ahead. After a
 * lost connection, reading continues at the same byte.
 */
export async function* readBulkLines(file: BulkFile, start: number): AsyncGenerator<BulkLine> {
  let end = start;
  for (let attempt = 0; ; ) {
    const before = end;
    try {
      const response = await get(file, end);
      if (!response) return;
      for await (const line of linesOf(response, end)) {
        file.signal.throwIfAborted();
        end = line.end;
        yield line;
      }
      return;
    } catch (error) {
      file.signal.throwIfAborted();
      if (error instanceof BulkFileGone) throw error;
      attempt = end > before ? 1 : attempt + 1;
      if (attempt >= MAX_ATTEMPTS) throw error;
      await file.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** Undefined if the file ends at `start`. */
function get({ url, signal }: BulkFile, start: number): Promise<IncomingMessage | undefined> {
  const address = new URL(url);
  const protocol = address.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const headers = {
      'accept-encoding': 'identity',
      ...(start > 0 && { range: `bytes=${start}-` }),
    };
    const request = protocol.get(address, { headers, signal });
    request.setTimeout(IDLE_TIMEOUT_MS, () =>
      request.destroy(new Error('the download made no progress')),
    );
    request.on('error', reject);
    request.on('response', (response) => {
      const { statusCode = 0 } = response;
      if (statusCode === 200 || (start > 0 && statusCode === 206)) return resolve(response);
      response.resume();
      const isEnd = statusCode === 416 && response.headers['content-range'] === `bytes */${start}`;
      if (isEnd) return resolve(undefined);
      if ([400, 401, 403, 404, 410, 416].includes(statusCode)) reject(new BulkFileGone());
      else reject(new Error(`the store answered the download with status ${statusCode}`));
    });
  });
}

async function* linesOf(response: IncomingMessage, start: number): AsyncGenerator<BulkLine> {
  let end = start;
  // A server without support for ranges sends the file from its beginning.
  let skip = response.statusCode === 206 ? 0 : start;
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const whole of response as AsyncIterable<Buffer>) {
    const chunk = whole.subarray(Math.min(skip, whole.length));
    skip -= whole.length - chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      restBytes = 0;
      from = at + 1;
      end += line.length + 1;
      if (line.length > 0) yield { text: line.toString('utf8'), end };
    }
    rest.push(Buffer.from(chunk.subarray(from)));
    restBytes += chunk.length - from;
    if (restBytes > MAX_LINE_BYTES) throw new Error('a line of the file is too long');
  }
  if (!response.complete) throw new Error('the download ended early');
  const last = Buffer.concat(rest);
  if (last.length > 0) yield { text: last.toString('utf8'), end: end + last.length };
}

type Fields = Readonly<Record<string, unknown>>;

/** A child belongs to the last owner before it. */
type BulkEntry =
  | { readonly kind: 'owner'; readonly fields: Fields; readonly end: number }
  | { readonly kind: 'child'; readonly fields: Fields; readonly end: number };

/** The file is not what the store was asked to write, so its content cannot be used. */
export class NotGrouped extends Error {
  override readonly name = 'NotGrouped';
}

/**
 * In a grouped file all children follow their owner. A child of another owner means that an entity sent
 * earlier may have been incomplete.
 */
async function* readEntries(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntry> {
  let owner: unknown;
  for await (const { text, end } of lines) {
    const fields = parse(text);
    const { __parentId: parentId, ...own } = fields;
    if (parentId === undefined) {
      owner = fields.id;
      yield { kind: 'owner', fields, end };
    } else {
      if (parentId !== owner) throw new NotGrouped('the file is not grouped by owner');
      yield { kind: 'child', fields: own, end };
    }
  }
}

/** One entity of the file with all its children. */
interface BulkGroup {
  readonly owner: Fields;
  readonly children: readonly Fields[];
  /** The byte after the last child. */
  readonly end: number;
}

/** Holds one entity at a time. */
export async function* readGroups(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkGroup> {
  let group: { owner: Fields; children: Fields[]; end: number } | undefined;
  for await (const entry of readEntries(lines)) {
    if (entry.kind === 'owner') {
      if (group) yield group;
      group = { owner: entry.fields, children: [], end: entry.end };
    } else if (group) {
      group.children.push(entry.fields);
      group.end = entry.end;
    }
  }
  if (group) yield group;
}

function parse(text: string): Fields {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
      return fields as Fields;
    }
  } catch {
    // The error is dropped because it quotes the line, which may hold personal data.
  }
  throw new NotGrouped('the file has a line that is not JSON');
}
