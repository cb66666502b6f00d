import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../../local/harness/memory-ledger.ts';
import { sequenceNumber } from '../../../local/harness/memory-queue.ts';
import { KINDS } from '../../../scripts/connector/dead-letters/command.ts';
import {
  EVENT_KINDS,
  expiryText,
  filterText,
  groupsOf,
  lettersText,
} from '../../../scripts/connector/dead-letters/describe.ts';
import { type DropDeps, dropLetters } from '../../../scripts/connector/dead-letters/drop.ts';
import {
  familiesOf,
  matchesFilter,
  type ReadLetter,
  readLetter,
  rebuildSummaries,
  scanLetters,
} from '../../../scripts/connector/dead-letters/read.ts';
import {
  createPacer,
  letterReaderOf,
  newTally,
  prepareReplay,
  type ReplayedLetter,
  replayLetters,
} from '../../../scripts/connector/dead-letters/replay.ts';
import {
  followReplayed,
  verdictOf,
} from '../../../scripts/connector/dead-letters/replay-command.ts';
import {
  letterData,
  maskCall,
  maskPersonal,
} from '../../../scripts/connector/dead-letters/show.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import {
  type DeadLetterQueue,
  readSummary,
  restoreSummaries,
  retireSummaries,
  summarize,
} from '../../../shared/core/batch/dead-letter.ts';
import { type EntityKey, hashBody, type StoreEvent } from '../../../shared/core/events/event.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
} from '../../../shared/core/ledger/ledger.ts';
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
    [{ topic: 'orders/updated' }, { topic: 'orders/create' }],
    [{ shop: LETTER_SHOP }, { shop: 'other.myshopify.com' }],
    [{ id: ['1001'] }, { id: ['100'] }],
    [{ id: ['other', 'letter-1'] }, { id: ['letter'] }],
    [{ queue: 'orders' }, { queue: 'coupons' }],
    [{ text: 'REFUSED' }, { text: 'refusal' }],
    [{ text: '/upd' }, { text: 'message-1' }],
    [{ code: 'Order_InvalidTotal' }, { code: 'Order' }],
    [{ reason: 'rejected' }, { reason: 'crashed' }],
    [{ since: at }, { since: at + 1 }],
    [{ until: at }, { until: at - 1 }],
  ] as const)('takes %j and not %j', (fitting, other) => {
    expect(matchesFilter(letter, fitting)).toBe(true);
    expect(matchesFilter(letter, other)).toBe(false);
    expect(matchesFilter(letter, { reason: 'rejected', ...other })).toBe(false);
  });

  it('never takes by a field that cannot be read', () => {
    expect(matchesFilter(letterOf('nonsense'), { kind: 'order' })).toBe(false);
    expect(matchesFilter(letterOf('nonsense'), { reason: 'rejected' })).toBe(true);
  });

  it('knows the queue of a kind, and can be repeated', () => {
    expect(familiesOf({ kind: 'discount' }, { storefront: undefined })).toEqual(['coupons']);
    expect(filterText({ kind: 'order', since: at })).toBe(
      '--kind order --since 2026-10-09T12:00:00.000Z',
    );
  });

  it('offers every kind that there is', () => {
    expect(KINDS).toEqual(EVENT_KINDS);
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

describe('a prepared replay', () => {
  const read = letterReaderOf([{ domain: LETTER_SHOP }]);
  const now = new Date('2026-10-10T00:00:00Z');
  const options = { refetch: false, by: 'ops@desk' };
  const body = new TextEncoder().encode('{"id":1}');

  it('is the same to SQS for the same dead letter and options, and another for other options', () => {
    const letter = letterOf({});
    const names = [options, { ...options, by: 'another' }, { ...options, refetch: true }].map(
      (option) => {
        const prepared = prepareReplay(letter, option, read, now);
        return prepared.kind === 'event' ? prepared.name : prepared.obstacle;
      },
    );
    expect(names[0]).toBe(names[1]);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[\x21-\x7e]{1,128}$/);
  });

  it('does not inherit the option to force from what was sent before', () => {
    expect(prepareReplay(letterOf({ force: true }), options, read, now)).toMatchObject({
      event: expect.not.objectContaining({ force: true }),
    });
  });

  it('is refused where the store has nothing to say', () => {
    const refetch = { ...options, refetch: true };
    const nameless = letterOf({ id: hashBody(body), body });
    const person = letterOf({ kind: 'customer', topic: 'customers/redact', body });
    for (const letter of [nameless, person]) {
      expect(prepareReplay(letter, refetch, read, now)).toEqual({
        kind: 'obstacle',
        obstacle: 'not-in-the-store',
      });
    }
  });

  it('is refused for a message of a newer release, which may mean something else', () => {
    const newer = letterOf(JSON.stringify({ v: 2, ...letterEvent({}) }));
    expect(newer).toMatchObject({ isNewer: true, undecodable: expect.stringContaining('newer') });
    const prepared = prepareReplay(newer, { ...options, refetch: true }, read, now);
    expect(prepared).toEqual({ kind: 'obstacle', obstacle: 'newer-release' });
    expect(prepareReplay(letterOf('nonsense'), options, read, now)).toMatchObject({
      obstacle: 'undecodable',
    });
  });

  it('is refused for a shop that left the settings', () => {
    const letter = letterOf({ shop: 'gone.myshopify.com' });
    for (const option of [options, { ...options, refetch: true }]) {
      expect(prepareReplay(letter, option, read, now)).toMatchObject({
        obstacle: 'shop-not-configured',
      });
    }
  });

  it('advises --refetch only where the store can be asked', () => {
    const spoilt = new TextEncoder().encode('{"id');
    const obstacleOf = (changes: Partial<StoreEvent>) =>
      prepareReplay(letterOf({ body: spoilt, ...changes }), options, read, now);
    expect(obstacleOf({})).toMatchObject({ obstacle: 'still-unreadable' });
    expect(obstacleOf({ id: hashBody(spoilt) })).toMatchObject({ obstacle: 'unreadable-for-ever' });
    expect(obstacleOf({ kind: 'customer', topic: 'customers/redact' })).toMatchObject({
      obstacle: 'unreadable-for-ever',
    });
  });
});

describe('the pace of a replay', () => {
  it.each([1, 3, 20, 500])('lets %d a second pass, no more and not fewer', async (perSecond) => {
    let clockMs = 0;
    const pacer = createPacer(perSecond, {
      monotonicMs: () => clockMs,
      pause: async (ms) => {
        clockMs += ms;
      },
    });
    const { signal } = new AbortController();
    const passed: number[] = [];
    while (passed.length < perSecond * 5) {
      const some = await pacer.pass(Math.min(10, perSecond * 5 - passed.length), signal);
      expect(some).toBeGreaterThan(0);
      passed.push(...Array.from({ length: some }, () => clockMs));
    }
    for (const start of passed) {
      const within = passed.filter((time) => time >= start && time < start + 999.999);
      expect(within.length).toBeLessThanOrEqual(perSecond);
    }
    expect(clockMs).toBeGreaterThan(3_900);
    expect(clockMs).toBeLessThanOrEqual(5_000);
  });

  it('ends at once when it is interrupted', async () => {
    const interruption = new AbortController();
    interruption.abort();
    const clock = { monotonicMs: () => 0, pause: async () => {} };
    expect(await createPacer(1, clock).pass(5, interruption.signal)).toBe(0);
    expect(await createPacer(undefined, clock).pass(5, interruption.signal)).toBe(0);
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
  counts: async () => ({ visible: 0, inFlight: 0, retentionSeconds: 0 }),
};

function follow(
  letters: readonly ReplayedLetter[],
  known: Record<string, LedgerEntry>,
  parkedAgain: readonly ReadLetter[] = [],
) {
  const entries = Object.entries(known).map(([id, one]) => [ledgerKeyText(key(id)), one] as const);
  return followReplayed(letters, {
    ledger: { readMany: async () => new Map(entries) },
    depth: { of: async () => ({ ready: 0, hidden: 0 }) },
    lettersSince: async () => parkedAgain,
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

it.each([
  [0, 'well', 'All went through: 1 applied.'],
  [2, 'action required', '2 dead letters cannot be received now, and must be sent later.'],
])('the verdict of a replay that could not receive %d is "%s"', (notSeen, kind, what) => {
  const followed = [{ ...replayed('1', '1'), result: 'applied' }];
  expect(verdictOf({ ...newTally(), replayed: 1 }, notSeen, followed)).toEqual({ kind, what });
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
      { letterIds: new Set(['letter-1']), refetch: false, by: 'ops@desk' },
      {
        ...letterReaderOf([{ domain: LETTER_SHOP }]),
        queues: [{ ...emptyQueue, receive: async () => pages.shift() ?? [] }],
        replayQueue: {
          sendAll: async (events) => {
            sent.push(...events.map(({ deliveryId }) => deliveryId));
            return [];
          },
        },
        retire: async () => {},
        pacer: createPacer(undefined, { monotonicMs: () => 0, pause: async () => {} }),
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
  const ledger = createMemoryLedger();

  async function drop(given: Partial<DropDeps>) {
    const did: string[] = [];
    const note = (what: string) => (some: readonly (string | { readonly messageId: string })[]) => {
      did.push(...some.map((one) => `${what} ${typeof one === 'string' ? one : one.messageId}`));
      return Promise.resolve();
    };
    const pages = [letters.slice(0, 1), letters.slice(1), []];
    const receive = async () => pages.shift() ?? [];
    const queue = { ...emptyQueue, receive, remove: note('remove'), giveBack: note('give back') };
    const dropped = await dropLetters({
      ...{ queues: [queue], file: { keep: note('keep') }, retire: note('retire'), ledger },
      now: () => new Date(at),
      letterIds: new Set(['first', 'later']),
      signal: new AbortController().signal,
      onDropped: () => {},
      ...given,
    });
    return { dropped, did };
  }
  const gone = (id: string) => [`keep ${id}`, `retire ${id}`, `remove ${id}`];

  it('drops those that the person was shown and no others, each after the file holds it', async () => {
    expect(await drop({})).toEqual({
      dropped: 2,
      did: [...gone('first'), ...gone('later'), 'give back other'],
    });
  });

  it('ends when it has seen as many as there are', async () => {
    const { did } = await drop({ letterIds: new Set(['first']) });
    expect(did).toEqual(gone('first'));
  });

  it('keeps no body of a person whom the store asked to erase', async () => {
    const mark = { redactedAt: at, expiresAt: at / 1000 };
    await ledger.redact([{ shop: LETTER_SHOP, kind: 'order', id: 'later' }], mark);
    const bodies: string[] = [];
    const keep = async (some: readonly { readonly body: string }[]) => {
      bodies.push(...some.map(({ body }) => body));
    };
    await drop({ file: { keep } });
    expect(bodies).toEqual([letters[0]?.body, expect.stringMatching(/^erased: /)]);
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
    const counts = async () => ({ visible, inFlight: 0, retentionSeconds: 0 });
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
  it('counts them by what they are about, in the plural where there are several', () => {
    const one = letterOf({});
    expect(lettersText([one, one])).toBe('2 rejected orders');
    expect(lettersText([letterOf({ kind: 'coupon' }, { reason: 'crashed' })])).toBe(
      '1 crashed coupon',
    );
    expect(lettersText([one, letterOf({ kind: 'product' })])).toBe('2 dead letters');
  });

  const { healing } = defineConnector({
    shops: [{ domain: LETTER_SHOP }],
    loyalty: { address: 'https://loyalty.example.com' },
  });

  it('says for every kind what happens on which day if nobody decides', () => {
    const said = EVENT_KINDS.map((kind) => {
      const letter = summarize(deadLetter('nonsense'), letterEvent());
      const event = letter.event && { ...letter.event, kind };
      return expiryText({ ...letter, event }, { healing });
    });
    for (const words of said) expect(words).toMatch(/^SQS deletes it on 2026-10-23\. \S/);
    expect(said[0]).toContain('deep scan after 2026-10-24');
    const off = { healing: { ...healing, deepEveryDays: false } } as const;
    expect(expiryText(letterOf({}), off)).toContain('turn deep scans off');
  });
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
  const prospect = { kind: 'unreadable', why: '' } as const;
  const shown = (changes: Partial<LedgerEntry>) =>
    letterData({ letter, entry: { ...entry(), ...changes }, prospect }, { reveal: true });
  expect(shown({}).body).toContain('robin');
  expect(JSON.stringify(shown({ redactedAt: at }))).not.toContain('robin');
});

it('masks all of a form that is about a person, except the id', () => {
  const body = { OriginalId: '7', Name: 'Oriane', Email: 'oriane@example.org' };
  const masked = maskCall({ operation: 'upsertCustomer', body });
  expect(masked).toEqual({ OriginalId: '7', Name: '•••', Email: '•••' });
});
