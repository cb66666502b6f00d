import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent, MAX_BODY_BYTES } from '../../shared/core/events/decode-event.ts';
import { hashBody, type StoreEvent } from '../../shared/core/events/event.ts';
import { carryBody, encodeEvent } from '../../shared/core/events/message-body.ts';
import { incompressible } from '../fixtures/incompressible.ts';
import { bodyOf } from '../fixtures/store-event.ts';

const PLAIN: StoreEvent = {
  shop: 'example.myshopify.com',
  kind: 'order',
  id: '820982911946154508',
  claim: 'changed',
  origin: 'webhook',
  topic: 'orders/updated',
  deliveryId: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
  receivedAt: '2026-10-01T10:00:00.000Z',
  body: undefined,
};

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: loneSurrogates() }));

const anyEvent: fc.Arbitrary<StoreEvent> = fc.record(
  {
    shop: anyText,
    kind: fc.constantFrom('order', 'product', 'coupon', 'discount', 'customer', 'shop'),
    id: anyText,
    claim: fc.constantFrom('changed', 'deleted', 'code-removed', 'app-removed'),
    origin: fc.constantFrom('webhook', 'fan-out', 'reconcile', 'backfill'),
    topic: anyText,
    deliveryId: anyText,
    receivedAt: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
      .map((date) => date.toISOString()),
    triggeredAt: anyText,
    replays: fc.array(fc.record({ at: anyText, by: anyText }, { noNullPrototype: true })),
    cursor: anyText,
    history: fc.boolean(),
    newRules: fc.boolean(),
    force: fc.boolean(),
    body: fc.oneof(
      fc.constant(undefined),
      fc.uint8Array({ maxLength: 5_000 }),
      fc.string({ unit: 'binary', maxLength: 5_000 }).map(bytes),
    ),
  },
  {
    requiredKeys: [
      ...(['shop', 'kind', 'id', 'claim', 'origin', 'topic'] as const),
      ...(['deliveryId', 'receivedAt', 'body'] as const),
    ],
    noNullPrototype: true,
  },
);

describe('an event in its envelope', () => {
  it('is printable ASCII, and comes back exactly as it went in', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const message = encodeEvent(event);
        expect(message).toMatch(/^[\x20-\x7e]+$/);
        expect(decodeEvent(message)).toStrictEqual({ kind: 'event', event });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff{}'],
    ['NULs', '\u0000\u0000'],
    ['characters that SQS refuses', '\ufffe\uffff\u0001\u000b'],
    ['an escaped lone surrogate', String.raw`{"name":"\ud83d"}`],
    ['line separators', '\u2028\u2029'],
    ['a replacement character of its own', '\ufffd'],
    ['keys that poison prototypes', '{"__proto__":{"polluted":true},"constructor":1}'],
  ])('keeps a body with %s byte for byte, small or large', (_, text) => {
    for (const body of [bytes(text), bytes(text + ' '.repeat(5_000) + text)]) {
      const decoded = decodeEvent(encodeEvent({ ...PLAIN, body }));
      expect(decoded).toStrictEqual({ kind: 'event', event: { ...PLAIN, body } });
    }
  });

  it.each([
    0, 1, 2_047, 2_048, 2_049, 65_536, 749_000, 749_999, 750_001, 999_999, 1_000_001, 6_291_456,
  ])('keeps a body of %i bytes or leaves it out whole, and fits in a message', (length) => {
    for (const body of [incompressible(length), sampleText(length)]) {
      const message = encodeEvent({ ...PLAIN, body });
      // 1 MiB less the room that a dead letter's attributes need.
      expect(message.length).toBeLessThan(1_040_000);
      const decoded = decodeEvent(message);
      if (decoded.kind !== 'event') throw new Error(decoded.why);
      const kept = bodyOf(decoded.event);
      expect(kept === undefined || Buffer.from(kept).equals(body)).toBe(true);
      if (length <= 749_000) expect(kept).toBeDefined();
    }
  });

  it.each([
    ['brotli', 'bytes that are no text', incompressible(300)],
    ['brotli', 'long text', sampleText(3_000)],
    ['text', 'short text', sampleText(300)],
  ])('is carried as %s: %s', (form, _, body) => {
    expect(Object.keys(carryBody(body) ?? {})).toEqual([form]);
  });

  it('never depends on memory around a view of a larger buffer', () => {
    const large = incompressible(10_000);
    const body = new Uint8Array(large.buffer, large.byteOffset + 1_000, 3_000);
    const decoded = decodeEvent(encodeEvent({ ...PLAIN, body }));
    expect(decoded).toStrictEqual({ kind: 'event', event: { ...PLAIN, body } });
  });
});

describe('a body that no message can hold', () => {
  const body = incompressible(2_000_000);

  it.each(['order', 'discount'] as const)(
    'is left out where the store can be asked for the %s',
    (kind) => {
      const message = encodeEvent({ ...PLAIN, kind, body });
      expect(message.length).toBeLessThan(1_000);
      expect(decodeEvent(message)).toStrictEqual({ kind: 'event', event: { ...PLAIN, kind } });
    },
  );

  it.each([
    ['names no entity', { id: hashBody(body) }],
    ['is about a person', { kind: 'customer' }],
    ['is about the shop', { kind: 'shop' }],
  ] as const)('reaches a person with its length and hash when it %s', (_, changes) => {
    const message = encodeEvent({ ...PLAIN, ...changes, body });
    expect(message.length).toBeLessThan(1_000);
    const decoded = decodeEvent(message);
    expect(decoded.kind).toBe('unreadable');
    expect(decoded.kind === 'unreadable' && decoded.why).toContain('2000000 bytes');
    const { omitted } = JSON.parse(message).body;
    expect(omitted.sha256).toBe(createHash('sha256').update(body).digest('hex'));
  });
});

describe('a message that is not to be trusted', () => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const packed = (length: number) =>
    brotliCompressSync(Buffer.alloc(length), { params }).toString('base64');
  const POINTS = { kind: 'point-event', topic: 'Point_Add' };
  const withBody = (body: object, changes = {}) =>
    JSON.stringify({ v: 1, ...PLAIN, ...changes, body });

  it('never expands beyond the bound', () => {
    const bomb = withBody({ brotli: packed(256 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(2_000);
    const before = process.memoryUsage().rss;
    expect(decodeEvent(bomb)).toEqual({
      kind: 'unreadable',
      why: `the message cannot be used: its body expands beyond ${MAX_BODY_BYTES} bytes`,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });

  it('expands up to the bound', () => {
    const kindOf = (length: number) => decodeEvent(withBody({ brotli: packed(length) })).kind;
    expect(kindOf(MAX_BODY_BYTES)).toBe('event');
    expect(kindOf(MAX_BODY_BYTES + 1)).toBe('unreadable');
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'ana@example.com'],
    ['cut JSON', encodeEvent(PLAIN).slice(0, -1)],
    ['a list', '[1]'],
    ['null', 'null'],
    ['no version', JSON.stringify(PLAIN)],
    ['a version of no release', JSON.stringify({ v: 0, ...PLAIN })],
    ['a version that is a text', JSON.stringify({ v: '1', ...PLAIN })],
    ['a version from the prototype', JSON.stringify({ v: 'constructor', ...PLAIN })],
    ['no shop', JSON.stringify({ v: 1, ...PLAIN, shop: undefined })],
    ['an unknown kind', JSON.stringify({ v: 1, ...PLAIN, kind: 'ana@example.com' })],
    ['an unknown claim', JSON.stringify({ v: 1, ...PLAIN, claim: 'ana@example.com' })],
    ['an unknown origin', JSON.stringify({ v: 1, ...PLAIN, origin: 'ana@example.com' })],
    ['a number for an id', JSON.stringify({ v: 1, ...PLAIN, id: 1 })],
    ['no time of receipt', JSON.stringify({ v: 1, ...PLAIN, receivedAt: 'ana@example.com' })],
    ['a damaged body of a point event', withBody({ brotli: 'AAAA////' }, POINTS)],
    ['a point event without a body', JSON.stringify({ v: 1, ...PLAIN, ...POINTS })],
    ['a body of unknown form', withBody({ zip: 'ana@example.com' })],
    ['a body that is not base64', withBody({ bytes: 'ana@example.com' })],
    ['a damaged compressed body', withBody({ brotli: 'AAAA////' })],
    ['a cut compressed body', withBody({ brotli: randomCut() })],
    ['nesting without end', '['.repeat(900_000)],
    ['nesting without end in the envelope', `{"v":1,"shop":${'['.repeat(100_000)}`],
  ])('is unreadable and never quoted when it holds %s', (_, message) => {
    const decoded = decodeEvent(message);
    expect(decoded.kind).toBe('unreadable');
    expect(decoded.kind === 'unreadable' && decoded.why).not.toContain('example.com');
  });

  it('never breaks the reader, whichever of its characters are damaged', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.string({ maxLength: 3 }), (text, at, damage) => {
        const good = encodeEvent({ ...PLAIN, body: bytes(text) });
        const place = at % good.length;
        const bad = good.slice(0, place) + damage + good.slice(place + damage.length);
        expect(() => decodeEvent(bad)).not.toThrow();
      }),
    );
  });

  it('is newer, with its age where it says it, when a newer release wrote it', () => {
    const why = expect.stringContaining('newer release');
    const replays = ['2026-10-12', '2026-10-15'].map((at) => ({ at, by: 'robin' }));
    const age = { receivedAt: '2026-10-09T12:00:00.000Z', replays };
    const unknown = JSON.stringify({ v: 2, anything: true });
    expect(decodeEvent(unknown)).toEqual({ kind: 'newer', why, age: undefined });
    const dated = JSON.stringify({ v: 7, ...age, kind: 'something new' });
    expect(decodeEvent(dated)).toEqual({ kind: 'newer', why, age });
    for (const v of ['2', 1.5, 0, null]) {
      expect(decodeEvent(JSON.stringify({ v, ...age })).kind).toBe('unreadable');
    }
  });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function loneSurrogates(): fc.Arbitrary<string> {
  return fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit));
}

function sampleText(length: number): Buffer {
  return Buffer.from('{"title":"Camiseta","price":"19.90"},'.repeat(length / 30 + 1)).subarray(
    0,
    length,
  );
}

function randomCut(): string {
  return brotliCompressSync(incompressible(90)).subarray(0, 60).toString('base64');
}
