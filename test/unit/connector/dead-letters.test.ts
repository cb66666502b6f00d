import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  maskPerson,
  maskPersonal,
} from '../../../scripts/connector/ground/compare/mask-personal.ts';
import {
  aboutOf,
  aboutText,
  codeText,
  expiryText,
  groupsOf,
  noticesOf,
} from '../../../scripts/connector/ground/letters/describe-letters.ts';
import {
  isDelivered,
  matchesFilter,
  type ReadLetter,
  readLetter,
  rebuildSummaries,
  scanLetters,
} from '../../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  newTally,
  prepareReplay,
  type ReplayedLetter,
  readErasure,
  replayLetters,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import { EVENT_KINDS } from '../../../scripts/connector/ground/session/arguments.ts';
import { nameKey, readNames } from '../../../scripts/connector/ground/session/services.ts';
import { isEmpty } from '../../../scripts/connector/ground/terminal/document.ts';
import { line } from '../../../scripts/connector/ground/terminal/line.ts';
import { tellingPart } from '../../../scripts/connector/look/list-letters.ts';
import { actionsOn, revealedIn } from '../../../scripts/connector/look/show-letter.ts';
import {
  type DropDeps,
  dropLetters,
  paceText,
  planReplay,
  verdictOf,
} from '../../../scripts/connector/repair/change-letters.ts';
import { followReplayed } from '../../../scripts/connector/repair/follow-letters.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import {
  type DeadLetterQueue,
  readSummary,
  restoreSummaries,
  retireSummaries,
  summarize,
} from '../../../shared/core/batch/dead-letter.ts';
import { type EntityKey, hashBody, type QueueDepth } from '../../../shared/core/events/event.ts';
import { noteMerge } from '../../../shared/core/ledger/entry.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
} from '../../../shared/core/ledger/ledger.ts';
import { encodeCoupon } from '../../../shared/core/store/store.ts';
import { askShop } from '../../../shared/shopify/commands.ts';
import { orderWithId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';
import { sequenceNumber } from '../../support/memory-queue.ts';
import {
  LETTER_AT as at,
  deadLetter,
  LETTER_SHOP,
  letterEvent,
} from '../../support/parked-letters.ts';

const iso = (epochMs: number) => new Date(epochMs).toISOString();
const letterOf = (...given: Parameters<typeof deadLetter>) => readLetter(deadLetter(...given));

describe('a filter', () => {
  const letter = letterOf({});
  it('takes everything when nothing is given', () => {
    expect(matchesFilter(letter, {})).toBe(true);
    expect(matchesFilter(letterOf('nonsense'), {})).toBe(true);
  });

  it.each([
    [{ kind: 'order' }, { kind: 'product' }],
    [{ shop: LETTER_SHOP }, { shop: 'other.myshopify.com' }],
    [{ id: ['1001'] }, { id: ['100'] }],
    [{ id: ['other', 'letter-1'] }, { id: ['letter'] }],
    [{ queue: 'orders' }, { queue: 'coupons' }],
    [{ text: 'REFUSED' }, { text: 'refusal' }],
    [{ text: '/upd' }, { text: 'message-1' }],
    [{ text: '#1007' }, { text: '#1008' }],
    [{ delivered: 'yes' }, { delivered: 'no' }],
    [{ code: 'Order_InvalidTotal' }, { code: 'Order' }],
    [{ reason: 'rejected' }, { reason: 'crashed' }],
    [{ since: at }, { since: at + 1 }],
    [{ until: at }, { until: at - 1 }],
  ] as const)('takes %j and not %j', (fitting, other) => {
    const known = { ...letter, name: '#1007', delivered: true };
    expect(matchesFilter(known, fitting)).toBe(true);
    expect(matchesFilter(known, other)).toBe(false);
    expect(matchesFilter(known, { reason: 'rejected', ...other })).toBe(false);
  });

  it('never takes by a field that cannot be read', () => {
    expect(matchesFilter(letterOf('nonsense'), { kind: 'order' })).toBe(false);
    expect(matchesFilter(letterOf('nonsense'), { reason: 'rejected' })).toBe(true);
  });
});

describe('groups of dead letters', () => {
  it('are only so many, for any number of reasons', () => {
    const letters = Array.from({ length: 5_000 }, (_, n) =>
      letterOf({}, { why: `reason ${n % 1_000}` }),
    );
    const all = groupsOf(letters);
    expect(all.length).toBeLessThan(210);
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(5_000);
  });

  it('have those that were delivered since together, at the end', () => {
    const letters = ['a', 'b', 'c'].map((letterId) => ({
      ...letterOf({}, { letterId, why: letterId }),
      delivered: letterId !== 'b',
    }));
    const groups = groupsOf(letters);
    expect(groups.map(({ count, delivered }) => [count, delivered])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('show the oldest, the newest and an example', () => {
    const letters = [9, 5, 0].map((offset) =>
      letterOf({ id: `order-${offset}` }, { at: at + offset }),
    );
    expect(groupsOf(letters)).toMatchObject([
      {
        ...{ count: 3, oldest: iso(at), newest: iso(at + 9) },
        example: { kind: 'order', id: 'order-9' },
      },
    ]);
  });
});

describe('what is offered for a dead letter', () => {
  const offered = (code: string) => {
    const read = letterOf({}, { code });
    const letter = summarize(read, read.event);
    const shown = { letter, entry: undefined, redactedAt: undefined, isRevealed: true };
    const trace = { label: 'What happened', line: line('trace', ['order', '1001']) };
    return actionsOn(shown, false, [trace]).map((one) => one.line.command);
  };
  const [REPLAY, DROP] = ['dead-letters replay', 'dead-letters drop'];

  it('is a replay first where nothing is to be done by hand', () => {
    expect(offered('Order_Invalid')).toEqual([REPLAY, DROP, 'trace']);
  });

  // They were given up for a person, and offered to be sent again first.
  it.each(['unexplained', 'unbalanced', 'key-used'])('is no replay of what is %s', (code) => {
    expect(offered(code)).toEqual(['trace', DROP]);
  });

  it.each(['raised', 'not-replaced', 'points-left', 'Order_OrderCompletedNeddCompletedDate'])(
    'is a replay only after what is to be done by hand: %s',
    (code) => expect(offered(code)).toEqual(['trace', REPLAY, DROP]),
  );

  it('is to send an order in spite of everything that nobody could match', () => {
    expect(offered('unmatched')).toEqual(['trace', 'resend', DROP]);
  });
});

describe('a prepared replay', () => {
  const reader = letterReaderOf([{ domain: LETTER_SHOP, platform: 'shopify' }]);
  const now = new Date('2026-10-10T00:00:00Z');
  const prepare = (letter: ReadLetter, by = 'ops@desk') => prepareReplay(letter, by, reader, now);
  const spoilt = new TextEncoder().encode('{"id');

  it('is the same to SQS for the same dead letter, whoever sends it', () => {
    const [one, other] = ['ops@desk', 'another'].map((by) => prepare(letterOf({}), by));
    expect(one).toMatchObject({ name: expect.stringMatching(/^[\x21-\x7e]{1,128}$/) });
    expect(other).toMatchObject({ name: one?.kind === 'event' && one.name });
  });

  it('carries the whole history of replays, and not the option to force', () => {
    const replays = [{ at: '2026-10-09T13:00:00.000Z', by: 'somebody@else' }];
    const prepared = prepare(letterOf({ force: true, replays }));
    const all = [...replays, { at: now.toISOString(), by: 'ops@desk' }];
    expect(prepared).toMatchObject({ event: { replays: all } });
    expect(prepared).toMatchObject({ event: expect.not.objectContaining({ force: true }) });
  });

  it('has its worker ask the store only where the body cannot be used', () => {
    expect(prepare(letterOf({ body: spoilt }))).toMatchObject({
      event: { id: '1001', body: undefined },
    });
    const body = new TextEncoder().encode('{"id":1001,"order_edit":{"order_id":1001}}');
    const edited = letterOf({ topic: 'orders/edited', body });
    expect(prepare(edited)).toMatchObject({ event: { body } });
  });

  it.each([
    ['undecodable', letterOf('nonsense')],
    // It may mean something else.
    ['newer-release', letterOf(JSON.stringify({ v: 2, ...letterEvent({}) }))],
    ['shop-not-configured', letterOf({ shop: 'gone.myshopify.com' })],
    ['shop-not-configured', letterOf({ shop: 'gone.myshopify.com', body: spoilt })],
    // The store cannot be asked for what has no id, and for a person.
    ['unreadable', letterOf({ id: hashBody(spoilt), body: spoilt })],
    ['unreadable', letterOf({ kind: 'customer', topic: 'customers/redact', body: spoilt })],
  ] as const)('is refused: %s', (obstacle, letter) => {
    expect(prepare(letter)).toEqual({ kind: 'obstacle', obstacle });
  });
});

describe('what is shown of a form', () => {
  it('shows its structure and the names of metadata, and nothing about people', () => {
    const shown = maskPersonal({
      OriginalId: '1',
      OrderTotal: 64.9,
      Customer: { OriginalId: 'c', Name: 'Robin', Phone: '1', IsEnrolled: true, Deep: [{ X: 1 }] },
      SalesPerson: { OriginalId: 's', Name: 'Sam' },
      Metadatas: [{ Name: 'gift for', Value: 'Robin' }],
    });
    expect(shown).toEqual({
      OriginalId: '1',
      OrderTotal: 64.9,
      Customer: {
        OriginalId: 'c',
        Name: '•••',
        Phone: '•••',
        IsEnrolled: true,
        Deep: [{ X: '•••' }],
      },
      SalesPerson: { OriginalId: 's', Name: '•••' },
      Metadatas: [{ Name: 'gift for', Value: '•••' }],
    });
  });
});

const key = (id: string): EntityKey => ({ shop: LETTER_SHOP, kind: 'order', id });

function replayed(id: string, at: string): ReplayedLetter {
  return { family: 'orders', key: key(id), ...key(id), at: `2026-10-10T00:00:0${at}Z` };
}

function entry(...outcomes: readonly [string, 'applied' | 'rejected'][]): LedgerEntry {
  return {
    version: 1,
    uncertain: false,
    revision: 1,
    outcomes: outcomes.map(([at, outcome]) => ({
      at: `2026-10-10T00:00:0${at}Z`,
      outcome,
      version: 1,
      topic: 'orders/updated',
    })),
  };
}

const emptyQueue: DeadLetterQueue = {
  family: 'orders',
  receive: async () => [],
  giveBack: async () => {},
  remove: async () => {},
  counts: async () => ({ visible: 0, inFlight: 0 }),
};

function follow(
  letters: readonly ReplayedLetter[],
  known: Record<string, LedgerEntry>,
  parkedAgain: readonly ReadLetter[] = [],
  depth: QueueDepth = { of: async () => ({ ready: 0, hidden: 0 }) },
) {
  const entries = Object.entries(known).map(([id, one]) => [ledgerKeyText(key(id)), one] as const);
  return followReplayed(letters, {
    ledger: { readMany: async () => new Map(entries) },
    depth,
    lettersSince: async () => parkedAgain,
    holds: async () => new Map(),
    by: 'ops@desk',
    signal: new AbortController().signal,
    onProgress: () => {},
    everyMs: 1,
  });
}

describe('following replayed dead letters', () => {
  it('counts an outcome for one dead letter only, and the others of its entity as settled', async () => {
    const letters = [replayed('1', '1'), replayed('1', '2'), replayed('2', '2')];
    const followed = await follow(letters, {
      1: entry(['0', 'rejected'], ['5', 'applied']),
      2: entry(['6', 'applied']),
    });
    expect(followed.map(({ id, result }) => [id, result])).toEqual([
      ...[
        ['1', 'applied'],
        ['1', 'settled'],
        ['2', 'applied'],
      ],
    ]);
  });

  it('does not take what was there before the replay for its outcome', async () => {
    const followed = await follow([replayed('1', '3')], { 1: entry(['2', 'rejected']) });
    expect(followed).toMatchObject([{ result: 'settled' }]);
  });

  it('believes the queues only when two counts in a row find nothing', async () => {
    const count = fc.integer({ min: 0, max: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(count, { maxLength: 8 }), async (before) => {
        const counts = [...before, 0, 0];
        const firstTwo = counts.findIndex((one, n) => one === 0 && counts[n + 1] === 0);
        let looks = 0;
        const of = async () => {
          looks += 1;
          return { ready: 0, hidden: counts[looks - 1] ?? 0 };
        };
        const followed = await follow([replayed('1', '3')], {}, [], { of });
        expect([looks, followed]).toMatchObject([firstTwo + 2, [{ result: 'settled' }]]);
      }),
      { numRuns: 30 },
    );
  });

  it('finds what is a dead letter again, by its last replay', async () => {
    const replay = (at: string, by: string) => ({ at: `2026-10-10T00:00:0${at}Z`, by });
    const again = letterOf({
      id: '1',
      replays: [replay('1', 'ops@desk'), replay('3', 'ops@desk')],
    });
    const others = [
      letterOf({ id: '1', replays: [replay('1', 'ops@desk')] }),
      letterOf({ id: '1', replays: [replay('3', 'other@desk')] }),
      letterOf({ id: '2', replays: [replay('3', 'ops@desk')] }),
    ];
    const known = { 1: entry(['4', 'rejected']) };
    const followed = await follow([replayed('1', '3')], known, [again, ...others]);
    expect(followed).toMatchObject([{ kind: 'order', id: '1', result: 'failing', again }]);
  });
});

describe('what stops the following', () => {
  it('is a pause or an outage that holds all that are left, and the verdict says it', async () => {
    const letters = [replayed('1', '1'), replayed('2', '2')];
    const [, second] = letters;
    const hold = { what: 'They wait for the loyalty service', next: [] };
    let looks = 0;
    const followed = await followReplayed(letters, {
      ledger: {
        readMany: async () => new Map([[ledgerKeyText(key('1')), entry(['5', 'applied'])]]),
      },
      depth: { of: async () => ({ ready: 0, hidden: 1 }) },
      lettersSince: async () => [],
      async holds(pending) {
        looks += 1;
        expect(pending).toEqual([second]);
        return new Map(pending.map((one) => [one, hold]));
      },
      by: 'ops@desk',
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    expect(looks).toBe(1);
    expect(followed).toMatchObject([{ result: 'applied' }, { result: 'underway', held: hold }]);
    const tally = { ...newTally(), replayed: 2 };
    expect(verdictOf({ tally, notSeen: 0, notReached: 0, followed })).toEqual({
      kind: 'pending',
      what: '1 delivered, 1 not finished. They wait for the loyalty service.',
    });
  });
});

it.each([
  ['applied', 0, 'ok', 'Done: 1 delivered.'],
  ['failing', 0, 'action required', '1 of 1 failed again: see the dead letters.'],
  ['applied', 2, 'action required', expect.stringContaining('2 dead letters cannot be read now')],
] as const)('the verdict of a replay: %s, and %d not received', (result, notSeen, kind, what) => {
  const followed = [{ ...replayed('1', '1'), result }];
  const tally = { ...newTally(), replayed: 1 };
  expect(verdictOf({ tally, notSeen, notReached: 0, followed })).toEqual({ kind, what });
});

it('a replay of some takes the oldest of those that it can send: they expire first', () => {
  const sendable = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
  const limit = fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined });
  fc.assert(
    fc.property(sendable, limit, (each, most) => {
      // The newest first, as they are listed.
      const matching = each.map((isSendable, n) => ({
        ...letterOf({ id: String(n), shop: isSendable ? LETTER_SHOP : 'other.myshopify.com' }),
        delivered: false,
      }));
      const list = { letters: matching, matching, queues: [] } as never;
      const connector = { shops: [{ domain: LETTER_SHOP }] } as never;
      const { sent } = planReplay(list, most, { connector });
      const ids = each.flatMap((isSendable, n) => (isSendable ? [String(n)] : []));
      const oldest = ids.toReversed().slice(0, most).toReversed();
      expect(sent.map(({ event }) => event?.id)).toEqual(oldest);
    }),
  );
});

it.each([
  [undefined, 'the answers of store and loyalty service'],
  [3, 'loyalty.callsPerSecond (3)'],
])('a long replay says what limits it, where callsPerSecond is %s', (callsPerSecond, limit) => {
  expect(paceText(220, { sendingMs: 4_000, workersMs: 77_000 }, callsPerSecond)).toBe(
    `Sent in 4 s, followed for 1 min 17 s: 2.7 a second, limited by ${limit} and how many workers run.`,
  );
});

it('a long replay does not blame the workers for a slow sending', () => {
  const words = paceText(200, { sendingMs: 96_000, workersMs: 13_000 }, undefined);
  expect(words).toContain('followed for 13 s: 1.8 a second, limited by the calls from here');
});

describe('what was delivered since', () => {
  const parkedAt = '2026-10-09T12:00:00.000Z';
  const later = '2026-10-09T13:00:00.000Z';
  const known = (...lines: readonly [at: string, outcome: string, version: number][]) => ({
    uncertain: false,
    outcomes: lines.map(([at, outcome, version]) => ({ at, outcome, version, topic: '' })),
  });
  const rejected = [parkedAt, 'rejected', 5] as const;

  it.each([
    ['a newer state', known([...rejected], [later, 'applied', 6]), true],
    ['the same state, sent again', known([...rejected], [later, 'applied', 5]), true],
    ['an older state that came late', known([...rejected], [later, 'applied', 4]), false],
    [
      'the same state, before it',
      known(['2026-10-09T11:00:00.000Z', 'applied', 5], [...rejected]),
      false,
    ],
    ['a newer state that was rejected, too', known([...rejected], [later, 'rejected', 6]), false],
    [
      'a call without an answer',
      { ...known([...rejected], [later, 'applied', 6]), uncertain: true },
      false,
    ],
    ['nothing', undefined, false],
  ])('by the ledger: %s', (_, found, expected) => {
    expect(isDelivered(letterOf({}), found)).toBe(expected);
  });

  it('goes by the moment of the store where the message could not be read, and needs one', () => {
    const entryAt = (iso: string) => known([later, 'applied', Date.parse(iso)]);
    const unread = letterOf({ triggeredAt: '2026-10-09T11:59:00.000Z' }, { reason: 'unreadable' });
    expect(isDelivered(unread, entryAt('2026-10-09T12:30:00.000Z'))).toBe(true);
    expect(isDelivered(unread, entryAt('2026-10-09T11:58:00.000Z'))).toBe(false);
    expect(isDelivered(letterOf({}), entryAt(later))).toBe(false);
  });

  it('is never a customer: a merge leaves points that a person must move', () => {
    const merge = letterOf({ kind: 'member', topic: 'customers/merge' });
    expect(isDelivered(merge, known([...rejected], [later, 'applied', 6]))).toBe(false);
  });
});

describe('replaying dead letters', () => {
  it('sends those of one entity in the order they were parked in, however SQS lists them', async () => {
    const received = [4, 2, 3, 1].map((count) => {
      const id = String(count);
      const parked = { messageId: id, receiptHandle: id, sequenceNumber: sequenceNumber(count) };
      return deadLetter({ deliveryId: id }, parked);
    });
    const pages = [received, []];
    const sent: string[] = [];
    await replayLetters(
      { letterIds: new Set(['letter-1']), by: 'ops@desk' },
      {
        ...letterReaderOf([{ domain: LETTER_SHOP, platform: 'shopify' }]),
        queues: [{ ...emptyQueue, receive: async () => pages.shift() ?? [] }],
        replayQueue: {
          sendAll: async (events) => {
            sent.push(...events.map(({ deliveryId }) => deliveryId));
            return [];
          },
        },
        retire: async () => {},
        now: () => new Date(at),
        signal: new AbortController().signal,
        onReplayed: () => {},
      },
      newTally(),
    );
    expect(sent).toEqual(['1', '2', '3', '4']);
  });
});

describe('dropping dead letters', () => {
  const letters = ['first', 'later', 'other'].map((id) =>
    deadLetter({ id }, { letterId: id, messageId: id, receiptHandle: id }),
  );
  let ledger = createMemoryLedger();
  beforeEach(() => {
    ledger = createMemoryLedger();
  });

  async function drop(given: Partial<DropDeps>) {
    const did: string[] = [];
    const note = (what: string) => (some: readonly (string | { readonly messageId: string })[]) => {
      did.push(...some.map((one) => `${what} ${typeof one === 'string' ? one : one.messageId}`));
      return Promise.resolve();
    };
    const pages = [letters.slice(0, 1), letters.slice(1), []];
    const receive = async (hiddenSeconds: number) => {
      // Those of a killed run come back while SQS still knows a message that is sent twice: for five minutes.
      expect(hiddenSeconds).toBeLessThan(300);
      return pages.shift() ?? [];
    };
    const queue = { ...emptyQueue, receive, remove: note('remove'), giveBack: note('give back') };
    const write: typeof ledger.write = (one, ...rest) => {
      did.push(`retire ${one.id}`);
      return ledger.write(one, ...rest);
    };
    await dropLetters({
      ...{ queues: [queue], ledger: { ...ledger, write } },
      now: () => new Date(at),
      letterIds: new Set(['first', 'later']),
      signal: new AbortController().signal,
      onDropped: () => {},
      ...given,
    });
    return did;
  }
  const gone = (id: string) => [`retire ${id}`, `remove ${id}`];

  it('drops those that the person was shown and no others, each after the ledger says so', async () => {
    expect(await drop({})).toEqual([...gone('first'), ...gone('later'), 'give back other']);
  });

  it('ends when it has seen as many as there are', async () => {
    expect(await drop({ letterIds: new Set(['first']) })).toEqual(gone('first'));
  });
});

describe('a list that is made anew from the queue', () => {
  const known = (id: string) => deadLetter({ id }, { letterId: id, messageId: id });
  const rebuild = (
    list: readonly string[],
    [inQueue, visible]: readonly [readonly string[], number],
    ledger: Pick<Ledger, 'readMany' | 'write'>,
  ) => {
    const pages = [inQueue.map(known), []];
    const receive = async () => pages.shift() ?? [];
    const counts = async () => ({ visible, inFlight: 0 });
    const queues = [{ ...emptyQueue, receive, counts }];
    const { signal } = new AbortController();
    const summaries = list.map((id) => summarize(known(id), letterEvent({ id })));
    return rebuildSummaries(summaries, { queues, signal, onProgress: () => {} }, ledger);
  };

  it.each([
    // What had no summary, or was marked by a run that was killed; without what was purged.
    [['listed', 'moved', 'retired'], 3, ['listed', 'moved', 'retired']],
    // Another person may hold the rest.
    [['listed', 'moved'], 3, ['listed', 'moved', 'purged']],
  ])('with %j of %d has %j', async (inQueue, counted, expected) => {
    const ledger = createMemoryLedger();
    const summaryOf = (id: string) => summarize(known(id), letterEvent({ id }));
    const then = { ledger, now: new Date(at) };
    await restoreSummaries(['listed', 'purged'].map(summaryOf), then);
    await retireSummaries([summaryOf('retired')], 'replayed', then);
    await rebuild(['listed', 'purged'], [inQueue, counted], ledger);
    const summaries = [...ledger.entries].map(([text, { remembered }]) =>
      readSummary(text.split('|').at(-1) ?? '', remembered),
    );
    const open = summaries.filter((one) => one && !one.gone).map((one) => one?.letterId);
    expect(open.toSorted()).toEqual(expected);
  });
});

describe('what documents say of dead letters', () => {
  it('says of another count of SQS first that it may be late, then only what can be its cause', () => {
    const listOf = (counted: number) => ({
      ...{ letters: [], matching: [] },
      queues: [{ family: 'orders' as const, listed: 11, counted }],
    });
    const said = (counted: number) => JSON.stringify(noticesOf(listOf(counted), {}));
    const late = 'may be a minute old. If it still differs after that, ';
    expect(said(12)).toContain(`12 instead of 11 in the orders queue. Its count ${late}workers`);
    expect(said(12)).not.toContain('removed');
    expect(said(10)).toContain(`${late}something other than the connector removed some`);
    expect(said(10)).not.toContain('worker');
    expect(noticesOf(listOf(11), {}).every(isEmpty)).toBe(true);
  });

  it('says of a body without an id what it lacks', () => {
    const unnamed = aboutOf(letterOf({ id: hashBody(new Uint8Array()) }));
    expect(aboutText(unnamed)).toBe('a body without an order number');
  });

  it('has the name that the store has of an order or a product, and of no person', async () => {
    const asked: unknown[] = [];
    const nodes = [
      { id: 'gid://shopify/Order/7', name: '#1007' },
      { id: 'gid://shopify/Product/7', name: 'Hat' },
      null,
      { id: 'gid://shopify/Customer/7' },
    ];
    const ask = async (_: unknown, { ids }: { ids: unknown }) => {
      asked.push(ids);
      return { kind: 'data', data: { nodes } };
    };
    const kinds = ['order', 'product', 'member', 'discount', 'product'] as const;
    const letters = kinds.map((kind) => aboutOf(letterOf({ kind, id: '7' } as object)));
    const services = { asked: () => askShop(ask as never, LETTER_SHOP) };
    const names = await readNames(services, {} as never, letters);
    expect(asked).toEqual([['gid://shopify/Order/7'], ['gid://shopify/Product/7']]);
    const texts = letters.map((about) => aboutText({ ...about, name: names.get(nameKey(about)) }));
    expect(texts).toEqual(['order #1007', 'product Hat', 'member 7', 'discount 7', 'product Hat']);
    for (const about of letters) expect(aboutText(about)).toBe(`${about.kind} 7`);
  });

  const { healing, shops } = defineConnector({
    shops: [{ domain: LETTER_SHOP }],
    loyalty: { address: 'https://loyalty.example.com' },
  });

  it('says for every kind what happens on which day if nobody decides', () => {
    const said = EVENT_KINDS.map((kind) =>
      expiryText(letterOf({ kind } as object), { healing, shops }),
    );
    for (const words of said)
      expect(words).toMatch(/^Decide by 2026-10-23: then AWS deletes it\. \S/);
    expect(said[0]).toContain('full comparison after 2026-10-24');
    expect(said[0]).toContain('except orders older than 60 days if the app lacks read_all_orders');
    const [shop] = shops.map((one) => ({ ...one, platform: 'vendure' as const }));
    const other = expiryText(letterOf({}), { healing, shops: shop ? [shop] : [] });
    expect(other).toMatch(/do nothing, the first full comparison .* has it\.$/);
    // It was not rejected: nothing waits for the dead letter to go.
    const unread = { ...letterOf({}), reason: 'unreadable' } as const;
    expect(expiryText(unread, { healing, shops })).toContain('reconcile sends that anyway');
    const off = { shops, healing: { ...healing, deepEveryDays: false } } as const;
    expect(expiryText(letterOf({}), off)).toContain('turn off full comparisons');
  });
});

it('tells two long reasons apart by a short part of each', () => {
  const reason = (line: number) => `The products are wrong: ${'x'.repeat(160)} in line ${line}.`;
  const part = tellingPart(reason(3), [reason(4)]);
  expect(part.length).toBeLessThanOrEqual(50);
  expect([reason(3).includes(part), reason(4).includes(part)]).toEqual([true, false]);
  // The beginning of another one tells nothing.
  expect(tellingPart('refused', ['refused for good'])).toBe('refused');
});

describe('a scan of dead letters', () => {
  const unreachable = async () => Promise.reject(new Error('SQS is unreachable'));
  const scan = (queue: Partial<DeadLetterQueue>) =>
    scanLetters(
      { queue: { ...emptyQueue, ...queue }, signal: new AbortController().signal },
      async (letters) => letters,
    );

  it('fails if the dead letters cannot be given back: they would be hidden without a word', async () => {
    await expect(scan({ giveBack: unreachable })).rejects.toThrow('SQS is unreachable');
  });

  it('fails with its own error, not with that of giving back', async () => {
    const receive = async () => Promise.reject(new Error('access denied'));
    await expect(scan({ receive, giveBack: unreachable })).rejects.toThrow('access denied');
  });
});

it('does not reveal the body of a person whom the store asked to erase', () => {
  const letter = letterOf({ body: new TextEncoder().encode('{"email":"robin@example.com"}') });
  expect(revealedIn(letter, undefined).body).toContain('robin');
  expect(revealedIn(letter, at)).toEqual({});
});

it.each([
  [
    'an order of theirs that no request named',
    'order',
    'orders/updated',
    orderWithId(1),
    'changed',
  ],
  [
    ...(['a captured request to erase them', 'customer', 'customers/redact'] as const),
    { shop_domain: LETTER_SHOP, customer: persons.quillane, orders_to_redact: [] },
    'customer-redaction',
  ],
] as const)(
  'knows whom the store asked to erase by the body of %s',
  async (_, kind, topic, body, claim) => {
    const ledger = createMemoryLedger();
    const deps = { ledger, ...letterReaderOf([{ domain: LETTER_SHOP, platform: 'shopify' }]) };
    const id = kind === 'order' ? '1' : String(persons.quillane.id);
    const letter = letterOf({ kind, topic, claim, id, body: Buffer.from(JSON.stringify(body)) });
    expect(await readErasure(letter, undefined, deps)).toBeUndefined();
    const customer = {
      shop: LETTER_SHOP,
      kind: 'customer',
      id: String(persons.quillane.id),
    } as const;
    await ledger.redact([customer], { redactedAt: Date.now(), expiresAt: 1_900_000_000 });
    expect(await readErasure(letter, undefined, deps)).toEqual(expect.any(Number));
  },
);

it('knows whom the store asked to erase by a code for several, of whom they are one', async () => {
  const ledger = createMemoryLedger();
  const deps = { ledger, ...letterReaderOf([{ domain: LETTER_SHOP, platform: 'shopify' }]) };
  const of = (id: string) => ({
    ...{ id, name: 'Quillane', email: undefined, phone: undefined, createdAt: undefined },
  });
  const coupon = storeCoupon({
    audience: { kind: 'customers', customers: [of('7001'), of('7002')] },
  });
  const carried = { origin: 'fan-out', body: encodeCoupon(coupon) } as const;
  const letter = letterOf({
    kind: 'coupon',
    topic: 'discounts/update',
    id: coupon.code,
    ...carried,
  });
  expect(await readErasure(letter, undefined, deps)).toBeUndefined();
  const customer = { shop: LETTER_SHOP, kind: 'customer', id: '7002' } as const;
  await ledger.redact([customer], { redactedAt: Date.now(), expiresAt: 1_900_000_000 });
  expect(await readErasure(letter, undefined, deps)).toEqual(expect.any(Number));
});

it('knows whom the store asked to erase after they were merged into another', async () => {
  const ledger = createMemoryLedger();
  const deps = { ledger, ...letterReaderOf([{ domain: LETTER_SHOP, platform: 'shopify' }]) };
  const body = Buffer.from(JSON.stringify(orderWithId(1)));
  const letter = letterOf({ kind: 'order', topic: 'orders/updated', id: '1', body });
  const merged = { shop: LETTER_SHOP, id: String(persons.quillane.id) };
  const noted = { ledger, now: new Date(), topic: 'customers/merge', retentionDays: 400 };
  await noteMerge(merged, '7002', noted);
  expect(await readErasure(letter, undefined, deps)).toBeUndefined();
  const kept = { shop: LETTER_SHOP, kind: 'customer', id: '7002' } as const;
  await ledger.redact([kept], { redactedAt: Date.now(), expiresAt: 1_900_000_000 });
  expect(await readErasure(letter, undefined, deps)).toEqual(expect.any(Number));
});

it('masks all of a form that is about a person, except the id', () => {
  const body = { OriginalId: '7', Name: 'Oriane', Email: 'oriane@example.org' };
  const masked = maskPerson(body);
  expect(masked).toEqual({ OriginalId: '7', Name: '•••', Email: '•••' });
});

it('names an error of the service in words, and then as the service does', () => {
  expect(codeText('PublicApiProductService_ObjectiveDisabled')).toMatch(
    /^Product service objective disabled \(PublicApi/,
  );
  expect(codeText('Too_Many_Requests')).toBe('Too many requests (Too_Many_Requests)');
  expect(codeText('the store refused it')).toBe('the store refused it');
  expect(codeText(undefined)).toBeUndefined();
});
