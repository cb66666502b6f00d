import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../../shared/core/events/decode-event.ts';
import {
  deduplicationIdOf,
  groupIdOf,
  type QueuedEvent,
} from '../../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../../shared/core/events/message-body.ts';
import { pointTopics } from '../../../../shared/loyalty/operations.ts';
import {
  type PointTokens,
  receivePoints,
} from '../../../../shared/rewards/balances/receive-points.ts';
import { pointEvent } from '../../../fixtures/point-event.ts';
import { SHOP } from '../../../support/balance-worker.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

/** Subscriptions in the service hold this name. */
const TOKEN_HEADER = 'x-loyalty-connector-token';
const TOKEN = 'a'.repeat(43);
const PREVIOUS = 'b'.repeat(43);
const OURS: PointTokens = { current: TOKEN, previous: PREVIOUS };

interface Given {
  /** What fails. */
  readonly broken?: 'queue' | 'secret';
  readonly method?: string;
  readonly path?: string;
  readonly header?: string;
  readonly tokens?: PointTokens;
  /** What the secret holds since a moment ago. */
  readonly renewed?: PointTokens;
  readonly body?: object | string;
  readonly encoding?: 'utf8' | 'latin1';
}

async function receive({
  method = 'POST',
  path = '/example-store',
  header,
  tokens = OURS,
  renewed,
  body = {},
  encoding = 'utf8',
  broken,
}: Given) {
  const sent: QueuedEvent[] = [];
  const telemetry = recordTelemetry();
  const { status } = await receivePoints(
    {
      method,
      path,
      headers: { [TOKEN_HEADER]: header },
      body: new Uint8Array(
        Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), encoding),
      ),
    },
    {
      shops: new Map([
        [
          'example-store',
          {
            domain: SHOP,
            tokens: {
              get: async () => (broken === 'secret' ? Promise.reject(new Error()) : tokens),
              refresh: async () => ({
                ...{ kind: renewed ? 'renewed' : 'unchanged', value: renewed ?? tokens },
              }),
            },
          },
        ],
      ]),
      customerIdIn: 'Id',
      queue: {
        send: async (one) => {
          if (broken === 'queue') throw new Error('no answer');
          sent.push(one);
        },
      },
      telemetry,
      now: () => new Date('2026-10-09T12:00:00Z'),
    },
  );
  return {
    status,
    event: sent[0],
    isOlder: telemetry.logged.some(({ fields }) => fields.olderToken === true),
    refused: telemetry.total('points-refused'),
  };
}

const accept = async (body: object | string, path?: string) =>
  (await receive({ header: TOKEN, body, ...(path !== undefined && { path }) })).event;

const wrapped = (Topic: string, Payload: object) => ({ Uuid: 'u', Timestamp: '', Topic, Payload });

describe('what proves the sender of a point event', () => {
  it.each<[string, Given, number, boolean]>([
    ['the header', { header: TOKEN }, 200, false],
    ['the header of before a rotation', { header: PREVIOUS }, 200, true],
    ['the token in the address', { path: `/example-store/${TOKEN}` }, 200, false],
    ['both', { path: `/example-store/${TOKEN}`, header: TOKEN }, 200, false],
    [
      'the address, beside an older header',
      { path: `/example-store/${TOKEN}`, header: PREVIOUS },
      200,
      false,
    ],
    ['the header, with a slash at the end', { path: '/example-store/', header: TOKEN }, 200, false],
    ['nothing', {}, 401, false],
    ['a wrong header', { header: 'c'.repeat(43) }, 401, false],
    ['a header that holds two tokens', { header: `${TOKEN},${TOKEN}` }, 401, false],
    ['the header, for another shop', { path: '/second-store', header: TOKEN }, 401, false],
    [
      'the header, for a longer path',
      { path: `/example-store/${TOKEN}/x`, header: TOKEN },
      401,
      false,
    ],
    ['the header, for another method', { method: 'PUT', header: TOKEN }, 405, false],
    [
      'a token made a moment ago',
      { header: TOKEN, tokens: { current: PREVIOUS }, renewed: OURS },
      200,
      false,
    ],
    ['the token behind a topic', { path: `/example-store/Point_Add/${TOKEN}` }, 401, false],
  ])('%s', async (_what, given, status, isOlder) => {
    expect(await receive({ body: pointEvent(), ...given })).toMatchObject({ status, isOlder });
  });

  it('is counted if its token is wrong, and not at an unknown path: a flood must not fill the log', async () => {
    expect(await receive({ header: 'guess' })).toMatchObject({ status: 401, refused: 1 });
    expect(await receive({ path: '/nothing/here', header: TOKEN })).toMatchObject({
      ...{ status: 401, refused: 0 },
    });
  });
});

describe('a point event', () => {
  it('is answered 503 when the queue or the secret cannot be reached, and only then', async () => {
    for (const body of [pointEvent(), '{', '']) {
      for (const broken of ['queue', 'secret'] as const) {
        expect(await receive({ header: TOKEN, body, broken })).toMatchObject({ status: 503 });
      }
      expect(await receive({ header: TOKEN, body })).toMatchObject({ status: 200 });
    }
    // Without a proof that could be one, no secret is read.
    expect(await receive({ header: 'guess', broken: 'secret' })).toMatchObject({ status: 401 });
  });

  it('is another delivery under another topic, even for the same point in the same second', async () => {
    const ids = new Set<string | undefined>();
    for (const topic of pointTopics) {
      ids.add((await accept(wrapped(topic, pointEvent())))?.deliveryId);
    }
    expect(ids.size).toBe(pointTopics.length);
  });

  it('without a topic, on the address of all topics, is about the balance only', async () => {
    const event = await accept(pointEvent({ Points: -50 }));
    expect(event).toMatchObject({ kind: 'balance', topic: 'unnamed' });
    // The body names its topic better than the address.
    const named = wrapped('Point_Removed', pointEvent());
    expect(await accept(named, '/example-store/Point_Add')).toMatchObject({
      topic: 'Point_Removed',
    });
  });

  it('of a customer whose number no store can hold is kept as it came: it would fail the call of all others', async () => {
    const largest = String(2n ** 63n - 1n);
    expect(await accept(pointEvent({ Customer: { Id: largest } }))).toMatchObject({ id: largest });
    for (const Id of [String(2n ** 63n), '99999999999999999999', '7001-A']) {
      expect(await accept(pointEvent({ Customer: { Id } }))).toMatchObject({ kind: 'point-event' });
    }
  });

  it('beside an e-mail, is never given to the customer whose number is the document of the person', async () => {
    const Email = 'robin@example.com';
    for (let digits = 1; digits <= 19; digits += 1) {
      const Id = '1'.repeat(digits);
      const isLikeDocument = digits === 11 || digits === 14;
      const kind = isLikeDocument ? 'point-event' : 'balance';
      expect(await accept(pointEvent({ Customer: { Id, Email } }))).toMatchObject({ kind });
      expect(await accept(pointEvent({ Customer: { Id } }))).toMatchObject({ id: Id });
    }
  });

  it('of a person without an id is kept for the worker, with nothing of the person but in its body', async () => {
    const body = wrapped('Point_Add', pointEvent({ Customer: { Email: 'Robin@Example.com' } }));
    const event = await accept(body);
    if (event?.kind !== 'point-event') throw new Error(event?.kind);
    const { body: kept, ...rest } = event;
    expect(JSON.parse(Buffer.from(kept).toString())).toEqual(body);
    expect(JSON.stringify(rest)).not.toMatch(/robin/i);
    // So few groups that a hash in the log does not tell whose it is.
    expect(event.id).toMatch(/^[0-9a-f]{4}$/);
    expect(decodeEvent(encodeEvent(event))).toEqual({ kind: 'event', event });
    const later = pointEvent({ Customer: { Email: 'robin@example.com' }, PointId: 5 });
    const next = await accept(later);
    expect(next && groupIdOf(next)).toBe(groupIdOf(event));
    expect(next && deduplicationIdOf(next)).not.toBe(deduplicationIdOf(event));
  });

  it('in another encoding is kept as it came: its e-mail address may be another', async () => {
    const body = pointEvent({ Customer: { Id: '7001', Email: 'rené@example.com' } });
    for (const [encoding, kind] of [
      ['utf8', 'balance'],
      ['latin1', 'point-event'],
    ] as const) {
      const { event } = await receive({ header: TOKEN, body, encoding });
      expect(event?.kind).toBe(kind);
    }
  });

  it('that cannot be read is kept, up to a bound', async () => {
    expect(await accept('{')).toMatchObject({
      kind: 'point-event',
      body: new TextEncoder().encode('{'),
    });
    const large = await accept(JSON.stringify(pointEvent({ Note: 'x'.repeat(5_000_000) })));
    if (large?.kind !== 'point-event') throw new Error(large?.kind);
    expect(large.body).toHaveLength(65_537);
  });
});
