import { describe, expect, it } from 'vitest';
import { createPace } from '../../../scripts/connector/ground/compare/send.ts';
import { readBalances } from '../../../scripts/connector/set-up/balances-file.ts';
import {
  changeRows,
  checkRows,
  type ImportDeps,
  openRows,
} from '../../../scripts/connector/set-up/run-import.ts';
import { defaultRules } from '../../../shared/config/mapping-settings.ts';
import { shopifyCommands } from '../../../shared/shopify/commands.ts';
import type { StoreMember } from '../../../shared/store/store-entities.ts';
import { openInProcessLoyalty } from '../../support/in-process-loyalty.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';
import { createMemoryStore } from '../../support/memory-store.ts';

type Direction = Parameters<typeof changeRows>[0];

const SHOP = 'example-store.myshopify.com';
const NOW = new Date('2026-11-17T12:00:00.000Z');
const CUSTOMERS = ['1', '2', '3', '4', '5'];

class Killed extends Error {}

/** Two rows at once. The last customer takes no part in the program, so that the service refuses the row. */
const FILES = {
  points: 'customer,points\n1,10\n2,20\n3,30\n4,40\n5,50\n',
  cashback: `email;cashback\n${CUSTOMERS.map((id) => `c${id}@x.example;${id},05`).join('\n')}\n`,
};
type Unit = keyof typeof FILES;

/** Five customers with 1000 points each, and a death at a chosen effect, before or after it. */
async function openWorld(unit: Unit, text = FILES[unit]) {
  const loyalty = openInProcessLoyalty(() => NOW);
  const store = createMemoryStore();
  const ledger = createMemoryLedger();
  const life = { effects: 0, dieAt: Number.POSITIVE_INFINITY, dieAfter: false, isDead: false };
  for (const id of CUSTOMERS) {
    const Email = `C${id}@x.example`;
    await loyalty.client.upsertCustomer({ OriginalId: id, Email, IsEnrolled: true });
    const start = {
      Points: 1000,
      OperationType: 0,
      Reason: 'r',
      ChangeKey: `start-${id}`,
    } as const;
    await loyalty.client.changePoints(id, start);
  }
  await loyalty.client.changeCustomerStatus('5', { IsEnabled: false, Reason: 'r' });

  /** Who is dead does nothing more. */
  async function effect<Result>(act: () => Result): Promise<Awaited<Result>> {
    life.effects += 1;
    const dies = life.effects === life.dieAt;
    if (life.isDead || (dies && !life.dieAfter)) {
      life.isDead = true;
      throw new Killed();
    }
    const result = await act();
    life.isDead ||= dies;
    if (life.isDead) throw new Killed();
    return result;
  }
  loyalty.world.interfere = ({ operation }, pass) =>
    operation === 'getCustomerPoints' ? pass() : effect(pass);
  const pauses: number[] = [];
  const deps: ImportDeps = {
    ...{ shop: SHOP, name: 'opening', unit, loyalty: loyalty.client, now: () => NOW },
    onProgress: () => {},
    ledger: {
      readMany: (keys) => ledger.readMany(keys),
      write: (...given) => effect(() => ledger.write(...given)),
    },
    findByEmail: async (email) => /^c([1-5])@x\.example$/.exec(email)?.[1],
    ...{ pace: { ...createPace(2), before: () => 0 }, readPace: createPace(1_000) },
    ...{ store, rules: defaultRules },
    pause: async (ms) => void (ms > 0 && pauses.push(ms)),
    signal: new AbortController().signal,
  };
  const file = readBalances(Buffer.from(text), shopifyCommands.customerId);

  /** As the command: opens everything anew. */
  async function run(direction: Direction, changes: Partial<ImportDeps> = {}) {
    const used = { ...deps, ...changes };
    const { rows, faults } = await openRows(file, used);
    const unchecked = rows.filter(({ state }) => direction === 'give' && state === 'none');
    const unknown = await checkRows(unchecked, used);
    const refused = unknown.length > 0 ? [] : await changeRows(direction, rows, used);
    return [...faults, ...unknown, ...refused];
  }
  async function dyingAt(direction: Direction, at: number, dieAfter: boolean): Promise<boolean> {
    Object.assign(life, { effects: 0, dieAt: at, dieAfter, isDead: false });
    const isKilled = await run(direction).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Killed) return true;
        throw error;
      },
    );
    Object.assign(life, { dieAt: Number.POSITIVE_INFINITY, isDead: false });
    return isKilled;
  }
  /** What each has more than at the start. */
  async function gained() {
    return Promise.all(
      CUSTOMERS.map(async (id) => {
        const read = await loyalty.client.getCustomerPoints(id);
        if (read.kind !== 'success') throw new Error(read.kind);
        const { PointsBalance = 0, CashbackBalance = 0 } = read.value;
        return unit === 'points' ? PointsBalance - 1000 : Math.round(CashbackBalance * 100) - 5000;
      }),
    );
  }
  return { ...{ deps, file, run, dyingAt, gained, loyalty, pauses, ledger, store } };
}

const GAINED = { points: [10, 20, 30, 40, 0], cashback: [105, 205, 305, 405, 0] };
const NOTHING = [0, 0, 0, 0, 0];
const REFUSED = [{ line: 6, what: 'error 69 ApiCustomer_ChangeCashback_Inactive' }];
const refusal = (ErrorCode: number) => {
  const body = { HasError: true, ErrorCode, ErrorMessage: 'no', Result: null };
  return { kind: 'answer', status: 200, headers: {}, text: JSON.stringify(body) } as const;
};
const deaths = (most: number) =>
  Array.from({ length: most }, (_, n) => [Math.floor(n / 2) + 1, n % 2 === 1] as const);

describe.each(['points', 'cashback'] as const)('an import of %s', (unit) => {
  it('gives to each once, however often it runs, and takes back what it gave', async () => {
    const { run, gained, loyalty } = await openWorld(unit);
    for (const _ of ['first', 'again']) {
      expect(await run('give')).toEqual(REFUSED);
      expect(await gained()).toEqual(GAINED[unit]);
    }
    const operation = unit === 'points' ? 'changePoints' : 'changeCashback';
    const calls = loyalty.journal.filter(({ body }) =>
      String(Object(body).ChangeKey).startsWith('import:'),
    );
    // The second time only what was refused.
    expect(calls.map((one) => [one.operation, one.path.id])).toEqual(
      [...CUSTOMERS, '5'].map((id) => [operation, id]),
    );
    for (const _ of ['first', 'again']) {
      expect(await run('take')).toEqual([]);
      expect(await gained()).toEqual(NOTHING);
    }
  });

  it('gives to each once, killed at any call or write, and goes on', async () => {
    let killed = 0;
    for (const [at, dieAfter] of deaths(40)) {
      const { run, dyingAt, gained } = await openWorld(unit);
      if (await dyingAt('give', at, dieAfter)) killed += 1;
      expect(await run('give'), `killed at ${at}`).toEqual(REFUSED);
      expect(await gained(), `killed at ${at}`).toEqual(GAINED[unit]);
    }
    // The list of customers, and three for each row: a mark, a call, and its end.
    expect(killed).toBe(2 * (1 + 3 * CUSTOMERS.length));
  });

  it('is taken back once, killed at any call or write of that', async () => {
    let killed = 0;
    for (const [at, dieAfter] of deaths(30)) {
      const { run, dyingAt, gained } = await openWorld(unit);
      await run('give');
      if (await dyingAt('take', at, dieAfter)) killed += 1;
      expect(await run('take')).toEqual([]);
      expect(await gained(), `killed at ${at}`).toEqual(NOTHING);
    }
    expect(killed).toBe(2 * 3 * (CUSTOMERS.length - 1));
  });
});

describe('an import', () => {
  it('repeats a call whose answer is lost, after the time in which it may be executed', async () => {
    const { run, gained, loyalty, pauses } = await openWorld('points');
    const lost = new Set<string>();
    loyalty.world.interfere = ({ body }, pass) => {
      const answer = pass();
      const key = String(Object(body).ChangeKey);
      if (lost.has(key) || !key.startsWith('import:')) return answer;
      lost.add(key);
      return { kind: 'failure', reason: 'time-out', mayHaveHappened: true };
    };
    expect(await run('give')).toHaveLength(1);
    expect(await gained()).toEqual(GAINED.points);
    expect(pauses).toEqual(CUSTOMERS.map(() => 30_000));
  });

  it('does not take a refusal for proof that an earlier call was not carried out', async () => {
    const { run, gained, loyalty } = await openWorld('points', 'customer,points\n1,10\n');
    let calls = 0;
    loyalty.world.interfere = ({ operation }, pass) => {
      calls += operation === 'changePoints' ? 1 : 0;
      if (operation !== 'changePoints' || calls > 2) return pass();
      if (calls === 1) pass();
      if (calls === 1) return { kind: 'failure', reason: 'time-out', mayHaveHappened: true };
      return refusal(69);
    };
    expect(await run('give')).toEqual([{ ...REFUSED[0], line: 2 }]);
    expect(await gained()).toEqual([10, 0, 0, 0, 0]);
    expect(await run('take')).toEqual([]);
    expect(await gained()).toEqual(NOTHING);
  });

  it('stops where the service gives no answer, and goes on later', async () => {
    const { run, gained, loyalty } = await openWorld('points');
    let calls = 0;
    loyalty.world.interfere = ({ operation }, pass) => {
      if (operation !== 'changePoints') return pass();
      calls += 1;
      const down = { kind: 'answer', status: 503, headers: {}, text: '' } as const;
      return calls > 2 ? down : pass();
    };
    await expect(run('give')).rejects.toThrow('gives no usable answer: HTTP 503');
    expect(await gained()).toEqual([10, 20, 0, 0, 0]);
    loyalty.world.interfere = undefined;
    expect(await run('give')).toEqual(REFUSED);
    expect(await gained()).toEqual(GAINED.points);
  });

  it('gives nobody twice from a corrected file of the same name, and takes back what was given', async () => {
    const first = await openWorld('points');
    await first.run('give');
    const deps = { ...first.deps };
    const text = 'customer,points\n1,99\n2,20\n3,30\n4,40\n5,55\n';
    const file = readBalances(Buffer.from(text), shopifyCommands.customerId);
    await first.loyalty.client.changeCustomerStatus('5', { IsEnabled: true, Reason: 'r' });
    const { rows } = await openRows(file, deps);
    expect(await changeRows('give', rows, deps)).toEqual([]);
    expect(await first.gained()).toEqual([10, 20, 30, 40, 55]);
    const again = await openRows(file, deps);
    expect(await changeRows('take', again.rows, deps)).toEqual([]);
    expect(await first.gained()).toEqual(NOTHING);
  });

  // Issue 48: 105 were left with somebody whose row was gone from the file, and "All is done" was said.
  it('takes back what was given to somebody whom the file does not name any more, killed at any point', async () => {
    const shorter = readBalances(
      Buffer.from('customer,points\n1,10\n'),
      shopifyCommands.customerId,
    );
    for (const [at, dieAfter] of deaths(34)) {
      const { deps, dyingAt, gained } = await openWorld('points');
      await dyingAt('give', at, dieAfter);
      const { rows } = await openRows(shorter, deps);
      const had = await gained();
      const gone = rows.filter(({ wanted }) => wanted === 0);
      const given = gone.filter(({ state }) => state === 'given' || state === 'giving');
      const most = given.reduce((sum, { amount }) => sum + amount, 0);
      const others = had.slice(1).reduce((sum, one) => sum + one, 0);
      expect(most, `killed at ${at}`).toBeGreaterThanOrEqual(others);
      await changeRows(
        'give',
        rows.filter(({ wanted }) => wanted > 0),
        deps,
      );
      expect((await gained()).slice(1), `killed at ${at}`).toEqual(had.slice(1));
      const again = await openRows(shorter, deps);
      await changeRows('take', again.rows, deps);
      expect(await gained(), `killed at ${at}`).toEqual(NOTHING);
    }
  });

  it('takes no cashback for points that somebody got whom the file does not name any more', async () => {
    const { run, deps } = await openWorld('points');
    await run('give');
    const text = 'customer,cashback\n1,10\n';
    const other = readBalances(Buffer.from(text), shopifyCommands.customerId);
    const { rows, faults } = await openRows(other, { ...deps, unit: 'cashback' });
    expect(rows).toEqual([]);
    expect(faults).toHaveLength(4);
  });

  it('asks the report for many customers, and one by one for those whom it may not name', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => String(n + 1));
    const text = `customer,points\n${ids.map((id) => `${id},1`).join('\n')}\n`;
    const { deps, file, loyalty } = await openWorld('points', text);
    const { rows } = await openRows(file, deps);
    expect(await checkRows(rows, deps)).toHaveLength(55);
    const asked = () =>
      loyalty.journal.filter(({ operation }) => operation === 'getCustomerPoints');
    expect(asked()).toEqual([]);
    loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'listCustomersReport' ? refusal(7) : pass();
    expect(await checkRows(rows, deps)).toHaveLength(55);
    expect(asked()).toHaveLength(60);
  });

  // 5,000 rows with ids of another program took four minutes.
  it('asks for some alone where the report names none, and one by one where it names them otherwise', async () => {
    const many = (first: number) => Array.from({ length: 60 }, (_, n) => `${first + n},10`);
    const { deps, loyalty } = await openWorld('points');
    const reads = () =>
      loyalty.journal.filter(({ operation }) => operation === 'getCustomerPoints').length;
    const checked = async (rows: readonly string[]) => {
      const text = `customer,points\n${rows.join('\n')}\n`;
      const { rows: found } = await openRows(
        readBalances(Buffer.from(text), shopifyCommands.customerId),
        deps,
      );
      const before = reads();
      const faults = await checkRows(found, deps);
      return { faults: faults.length, reads: reads() - before };
    };
    expect(await checked(many(100))).toEqual({ faults: 60, reads: 25 });
    const { listCustomersReport } = deps.loyalty;
    const otherwise: typeof listCustomersReport = async (...asked) => {
      const page = await listCustomersReport(...asked);
      if (!('value' in page)) return page;
      const Items = page.value.Items.map((one) => ({
        ...one,
        OriginalId: `other-${one.OriginalId}`,
      }));
      return { ...page, value: { ...page.value, Items } };
    };
    Object.assign(deps, { loyalty: { ...deps.loyalty, listCustomersReport: otherwise } });
    expect(await checked(many(1))).toEqual({ faults: 55, reads: 60 });
  });

  it('leaves what a customer has spent, and says so', async () => {
    const { run, gained, loyalty } = await openWorld('points');
    await run('give');
    const spent = { Points: -1005, OperationType: 1, Reason: 'r', ChangeKey: 'spent' } as const;
    await loyalty.client.changePoints('1', spent);
    const left = await run('take');
    expect(left).toEqual([{ line: 2, what: expect.stringMatching(/^error 70 /) }]);
    expect(await gained()).toEqual([-995, 0, 0, 0, 0]);
  });

  it('stops when another process gives the same', async () => {
    const { deps, file, gained, ledger } = await openWorld('points');
    const { rows } = await openRows(file, deps);
    const write: ImportDeps['ledger']['write'] = async (key, entry, revision) => {
      await ledger.write(key, entry, undefined);
      return ledger.write(key, entry, revision);
    };
    const racing = { ...deps, ledger: { ...deps.ledger, write } };
    await expect(changeRows('give', rows, racing)).rejects.toThrow('Another process');
    expect(await gained()).toEqual(NOTHING);
  });

  it('ends after the calls of one second when it is interrupted', async () => {
    const { run, gained } = await openWorld('points');
    const controller = new AbortController();
    let paused = 0;
    const pause = async () => {
      paused += 1;
      // The first is that of the check.
      if (paused > 2) controller.abort();
    };
    expect(await run('give', { pause, signal: controller.signal })).toEqual([]);
    expect(await gained()).toEqual([10, 20, 0, 0, 0]);
  });

  it('finds customers whom the store or the service does not know, and who are there twice', async () => {
    const emails = ['c1@x.example', 'C2@x.example', 'nobody@x.example', 'C1@X.EXAMPLE'];
    const text = `email,points\n${emails.map((one) => `${one},1`).join('\n')}\n`;
    const { deps, file } = await openWorld('points', text);
    const findByEmail = async (email: string) =>
      ({ 'c1@x.example': '1', 'c2@x.example': '77' })[email.toLowerCase()];
    const { rows, faults } = await openRows(file, { ...deps, findByEmail });
    expect(faults).toEqual([
      { line: 4, what: 'the store has no customer with this e-mail address' },
      { line: 5, what: 'the same customer as in line 2' },
    ]);
    expect(await checkRows(rows, deps)).toEqual([
      { line: 3, what: 'neither the loyalty service nor the store knows the customer' },
    ]);
  });

  it('says what the service answers where it does not let the customer be read', async () => {
    const { run, loyalty, gained } = await openWorld('points', 'customer,points\n1,10\n');
    loyalty.world.interfere = () => refusal(7);
    const faults = await run('give');
    loyalty.world.interfere = undefined;
    const what = expect.stringMatching(/^the loyalty service does not show the customer: error 7 /);
    expect(faults).toEqual([{ line: 2, what }]);
    expect(await gained()).toEqual(NOTHING);
  });

  it('checks at the rate of readings, and gives at that of changes', async () => {
    const { run } = await openWorld('points');
    const asked: string[] = [];
    const paceOf = (name: string, window: number) => {
      const before = (count: number) => {
        asked.push(`${name} ${count}`);
        return 0;
      };
      return { window, before };
    };
    await run('give', { pace: paceOf('change', 2), readPace: paceOf('read', 4) });
    expect(asked).toEqual(['read 4', 'read 1', 'change 2', 'change 2', 'change 1']);
  });

  it('does not give points under a name that gave cashback', async () => {
    const { deps, run } = await openWorld('cashback');
    await run('give');
    const points = readBalances(Buffer.from(FILES.points), shopifyCommands.customerId);
    const { rows, faults } = await openRows(points, {
      ...deps,
      unit: 'points',
    });
    expect(rows.map(({ id }) => id)).toEqual([]);
    expect(faults[0]).toEqual({
      line: 2,
      what: 'this customer was given cashback under the same name',
    });
  });

  it('writes into the ledger the number of who is in the file, neither their address nor why', async () => {
    const text = 'email,points,reason\nc4@x.example,40,Moved with Ada\n';
    const { run, ledger } = await openWorld('points', text);
    await run('give');
    const written = JSON.stringify([...ledger.entries]);
    expect(written).toContain('given 40 points');
    expect(written).not.toMatch(/x\.example|Ada/);
  });
});

describe('an import for customers whom only the store knows', () => {
  const TEXT = 'customer,points\n1,10\n6,60\n7,70\n';
  const newcomer = (id: string, more: Partial<StoreMember> = {}): StoreMember => ({
    ...{ id, name: `Name ${id}`, email: `new${id}@x.example`, phone: undefined },
    ...{ createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-02-02T00:00:00.000Z' },
    ...{ metafields: [], ...more },
  });

  async function openWithNewcomers() {
    const world = await openWorld('points', TEXT);
    for (const id of ['6', '7']) world.store.putMember(SHOP, newcomer(id));
    const { loyalty } = world;
    const callsOf = (wanted: string) =>
      loyalty.journal.filter(
        ({ operation, path, body }) =>
          operation !== 'getCustomerPoints' &&
          (path.id === wanted || Object(body).OriginalId === wanted),
      );
    async function balances() {
      const read = ['1', '6', '7'].map((id) => loyalty.client.getCustomerPoints(id));
      const answers = await Promise.all(read);
      return answers.map((one) => (one.kind === 'success' ? one.value.PointsBalance : undefined));
    }
    return { ...world, callsOf, balances };
  }

  it('creates each as the worker would, and then gives, once', async () => {
    const { run, callsOf, balances, deps, file } = await openWithNewcomers();
    const { rows } = await openRows(file, deps);
    expect(await checkRows(rows, deps)).toEqual([]);
    expect(rows.map(({ customer }) => customer)).toEqual([undefined, 'new', 'new']);
    expect(callsOf('6')).toEqual([]);
    for (const _ of ['first', 'again']) {
      expect(await run('give')).toEqual([]);
      expect(await balances()).toEqual([1010, 60, 70]);
    }
    const calls = callsOf('6').map(({ operation, body }) => ({ operation, body }));
    expect(calls).toEqual([
      {
        operation: 'upsertCustomer',
        body: {
          ...{ OriginalId: '6', Name: 'Name 6', Email: 'new6@x.example' },
          SignupDate: '2024-01-01T00:00:00.000Z',
        },
      },
      { operation: 'changePoints', body: expect.objectContaining({ Points: 60 }) },
    ]);
  });

  it('creates before it gives and gives once, killed at any call or write', async () => {
    const killedAt = new Set<number>();
    for (const [at, dieAfter] of deaths(40)) {
      const { run, dyingAt, balances } = await openWithNewcomers();
      if (await dyingAt('give', at, dieAfter)) killedAt.add(at);
      expect(await run('give'), `killed at ${at}`).toEqual([]);
      expect(await balances(), `killed at ${at}`).toEqual([1010, 60, 70]);
    }
    // The list, a mark, a call and its end for each row, and two customers who are created.
    expect(killedAt.size).toBe(1 + 3 * 3 + 2);
  });

  it('keeps to the rate of changes for creating, too', async () => {
    const { run } = await openWithNewcomers();
    const asked: number[] = [];
    const before = (count: number) => {
      asked.push(count);
      return 0;
    };
    await run('give', { pace: { window: 3, before } });
    expect(asked).toEqual([3, 1, 1]);
  });

  it('names by line who is not sent by rule or was erased, and creates nobody', async () => {
    const world = await openWorld('points', 'customer,points\n8,80\n9,90\n');
    const { run, store, deps, ledger, loyalty } = world;
    store.putMember(SHOP, newcomer('8', { email: undefined }));
    store.putMember(SHOP, newcomer('9'));
    const mark = { redactedAt: NOW.getTime(), expiresAt: NOW.getTime() / 1000 + 86_400 };
    const key = { shop: SHOP, kind: 'member', id: '9' } as const;
    await ledger.write(key, { version: 1, uncertain: false, outcomes: [] }, undefined);
    await ledger.redact([key], mark);
    const start = 'the loyalty service does not know the customer, who is not sent to it:';
    const noAddress = 'its customer has no e-mail address, so the service cannot tell who it is';
    expect(await run('give')).toEqual([
      { line: 2, what: `${start} ${noAddress}` },
      { line: 3, what: `${start} the customer's data was erased` },
    ]);
    const rules = { ...deps.rules, customers: 'with-orders' } as const;
    const withOrders = `${start} the settings send customers as part of their orders only`;
    expect((await run('give', { rules }))[0]).toEqual({ line: 2, what: withOrders });
    expect(loyalty.rows.customers.get('8')).toBeUndefined();
    expect(loyalty.rows.customers.get('9')).toBeUndefined();
  });

  it('stops where the store gives no answer', async () => {
    const { run, store, callsOf } = await openWithNewcomers();
    store.outage = { kind: 'unavailable', why: 'time-out' };
    await expect(run('give')).rejects.toThrow('The store could not be read (time-out).');
    expect(callsOf('6')).toEqual([]);
  });

  it('lists a customer whom the service does not take, and tries again the next time', async () => {
    const { run, loyalty, balances } = await openWithNewcomers();
    loyalty.world.interfere = ({ operation, body }, pass) => {
      const isSix = operation === 'upsertCustomer' && Object(body).OriginalId === '6';
      return isSix ? refusal(50) : pass();
    };
    const what = expect.stringMatching(
      /^the loyalty service does not take the customer: error 50 /,
    );
    expect(await run('give')).toEqual([{ line: 3, what }]);
    expect(await balances()).toEqual([1010, undefined, 70]);
    loyalty.world.interfere = undefined;
    expect(await run('give')).toEqual([]);
    expect(await balances()).toEqual([1010, 60, 70]);
  });
});
