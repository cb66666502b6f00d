import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noteDropped } from '../../../../shared/core/batch/dead-letter.ts';
import {
  advance,
  type Change,
  type EntryStep,
  type Facts,
  record,
  recordApplied,
} from '../../../../shared/core/ledger/entry.ts';
import { OUTCOMES_KEPT, readEntry } from '../../../../shared/core/ledger/ledger.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';

const KEY = { shop: 'example-store.myshopify.com', kind: 'order', id: '1' } as const;
const AT = Date.parse('2026-10-09T12:00:00Z');

const facts: fc.Arbitrary<Facts> = fc.record(
  {
    remembered: fc.constantFrom('o1{}', 'o1{"card":{}}'),
    discountId: fc.constantFrom('7', '8'),
    history: fc.constant(true),
    rules: fc.constantFrom('old', 'new'),
    service: fc.record({
      completedAt: fc.constant('2026-10-09T11:00:00Z'),
      total: fc.constant(5_000),
      products: fc.constant([]),
      taken: fc.constantFrom(0, 1_000),
    }),
    expiresAt: fc.constantFrom(1_900_000_000, 1_900_000_001),
  },
  { requiredKeys: [] },
);

const KINDS = ['marked', 'applied', 'unchanged', 'skipped', 'rejected'] as const;
const step = fc.record({ kind: fc.constantFrom(...KINDS), version: fc.nat(5), facts });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Nothing was called, or the call changed nothing: what the entry says of the applied state still holds. */
const KEEPS: ReadonlySet<Step['kind']> = new Set(['marked', 'unchanged', 'skipped', 'rejected']);

function open() {
  const ledger = createMemoryLedger();
  const read = () => readEntry(ledger, KEY);
  const changeTo = async (version: number): Promise<Change<typeof KEY>> => ({
    ...{ key: KEY, entry: await read(), version, topic: 'orders/updated', now: new Date(AT) },
  });
  return { ledger, read, changeTo };
}

function stepOf({ kind, version, facts: given }: Step): EntryStep {
  const details = {
    ...{ marked: {}, unchanged: {} },
    applied: { facts: { ...given, appliedKey: `key-${version}` } },
    ...{ skipped: { why: 'pending' }, rejected: { why: 'Order_Invalid' } },
  };
  return { kind, facts: given, ...details[kind] } as EntryStep;
}

async function take(one: Step, world: ReturnType<typeof open>) {
  await record(await world.changeTo(one.version), stepOf(one), world.ledger);
}

describe('an entry over any number of changes', () => {
  it('never forgets a redaction, a newer version or its last outcomes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const world = open();
        const mark = { redactedAt: AT, expiresAt: 1_900_000_000 };
        await world.ledger.redact([KEY], mark);
        const lines: string[] = [];
        let newest = 0;
        for (const one of steps) {
          await take(one, world);
          if (one.kind !== 'marked') lines.push(one.kind);
          // A rejected version was not applied, and comes again.
          if (one.kind !== 'rejected') newest = Math.max(newest, one.version);
          const entry = await world.read();
          expect(entry).toMatchObject({ version: newest, redactedAt: AT });
          expect(entry?.outcomes.map(({ outcome }) => outcome)).toEqual(
            lines.slice(-OUTCOMES_KEPT),
          );
        }
      }),
    );
  });

  it('says what was applied last until something else is applied', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const world = open();
        for (const one of steps) {
          const before = await world.read();
          await take(one, world);
          const {
            version: _,
            revision: __,
            outcomes: ___,
            uncertain,
            ...after
          } = (await world.read()) ?? {};
          const {
            version,
            revision,
            outcomes,
            uncertain: wasUncertain = false,
            ...kept
          } = before ?? {};
          const expected = {
            marked: true,
            applied: false,
            ...{ unchanged: wasUncertain, skipped: wasUncertain, rejected: wasUncertain },
          };
          expect(uncertain).toBe(expected[one.kind]);
          const appliedKey = one.kind === 'applied' ? { appliedKey: `key-${one.version}` } : {};
          expect(after).toEqual({ ...(KEEPS.has(one.kind) && kept), ...one.facts, ...appliedKey });
        }
      }),
    );
  });
});

describe('a call that was refused', () => {
  it('leaves nothing but its line where it was the first', async () => {
    const world = open();
    const change = await world.changeTo(2);
    const marked = await record(change, { kind: 'marked', facts: { rules: 'new' } }, world.ledger);
    const refused = { kind: 'rejected', why: 'no', facts: {} } as const;
    await record({ ...change, entry: marked }, refused, world.ledger, change);
    expect(await world.read()).toMatchObject({ version: 0, uncertain: false, revision: 2 });
    expect(await world.read()).not.toHaveProperty('rules');
  });

  it('leaves what the entry said before the mark, and removes what its facts name as undefined', async () => {
    const world = open();
    const service = { total: 1, products: [], completedAt: '', taken: 0 };
    await take({ kind: 'applied', version: 1, facts: { remembered: 'o1{}', service } }, world);
    const change = await world.changeTo(2);
    const marked = await record(change, { kind: 'marked', facts: { rules: 'new' } }, world.ledger);
    expect(marked).toMatchObject({ uncertain: true, rules: 'new', appliedKey: 'key-1' });
    const refused = { kind: 'rejected', why: 'no', facts: { service: undefined } } as const;
    await record({ ...change, entry: marked }, refused, world.ledger, change);
    const { outcomes: _, revision: __, ...after } = (await world.read()) ?? {};
    expect(after).toStrictEqual({
      ...{ version: 1, appliedKey: 'key-1', uncertain: false, remembered: 'o1{}' },
    });
  });
});

describe('a line among the outcomes', () => {
  it('says that reconcile found it, and why it was not sent', async () => {
    const change = { ...(await open().changeTo(1)), origin: 'reconcile' } as const;
    const { outcomes } = advance(undefined, { kind: 'skipped', why: 'pending', facts: {} }, change);
    expect(outcomes).toMatchObject([{ outcome: 'skipped', why: 'pending', origin: 'reconcile' }]);
    const applied = { kind: 'applied', facts: { appliedKey: 'key' } } as const;
    expect(advance(undefined, applied, await open().changeTo(1)).outcomes[0]).toStrictEqual({
      ...{ at: new Date(AT).toISOString(), outcome: 'applied', version: 1 },
      topic: 'orders/updated',
    });
  });
});

describe('a dropped dead letter', () => {
  const drop = ({ ledger }: ReturnType<typeof open>) =>
    noteDropped(KEY, 'orders/updated', { ledger, now: new Date(AT), by: 'ops' });

  it('adds a line after its rejection, and changes nothing else', async () => {
    const world = open();
    await take(
      { kind: 'applied', version: 1, facts: { remembered: 'o1{}', history: true } },
      world,
    );
    await take({ kind: 'rejected', version: 2, facts: {} }, world);
    const { outcomes = [], ...before } = (await world.read()) ?? {};
    await drop(world);
    await drop(world);
    const line = { outcome: 'dropped', version: 2, topic: 'orders/updated', why: 'by ops' };
    expect(await world.read()).toEqual({
      ...before,
      revision: 3,
      outcomes: [...outcomes, { ...line, at: new Date(AT).toISOString() }],
    });
  });

  it('adds its line also after a second rejection, and after an event of another version', async () => {
    const world = open();
    // Replayed in between, and refused again.
    for (const _ of [1, 2]) await take({ kind: 'rejected', version: 2, facts: {} }, world);
    await take({ kind: 'skipped', version: 3, facts: {} }, world);
    await drop(world);
    expect((await world.read())?.outcomes.at(-1)).toMatchObject({ outcome: 'dropped', version: 2 });
  });

  it('needs neither an entry nor a rejection, as for a dead letter that could not be read', async () => {
    const world = open();
    await drop(world);
    expect(await world.read()).toBeUndefined();
    await take({ kind: 'applied', version: 2, facts: {} }, world);
    const before = await world.read();
    await drop(world);
    expect(await world.read()).toEqual(before);
  });

  it('is not lost when others write at the same time, and does not wait for ever', async () => {
    const world = open();
    await take({ kind: 'rejected', version: 2, facts: {} }, world);
    let conflicts = 2;
    const write: typeof world.ledger.write = async (...given) =>
      conflicts-- > 0 ? { kind: 'conflict' } : world.ledger.write(...given);
    await drop({ ...world, ledger: { ...world.ledger, write } });
    expect((await world.read())?.outcomes.at(-1)).toMatchObject({ outcome: 'dropped' });
    conflicts = 1000;
    await take({ kind: 'rejected', version: 4, facts: {} }, world);
    const dropped = drop({ ...world, ledger: { ...world.ledger, write } });
    await expect(dropped).rejects.toThrow('too many concurrent writes to order');
  });

  it('changes nothing once a newer state of the same version is recorded', async () => {
    const world = open();
    await take({ kind: 'rejected', version: 2, facts: {} }, world);
    await take({ kind: 'applied', version: 2, facts: {} }, world);
    const before = await world.read();
    await drop(world);
    expect(await world.read()).toEqual(before);
  });
});

describe('an entry that another worker wrote meanwhile', () => {
  async function overtaken() {
    const world = open();
    await take({ kind: 'applied', version: 1, facts: {} }, world);
    const change = await world.changeTo(2);
    await take({ kind: 'applied', version: 3, facts: { rules: 'new' } }, world);
    return { ...world, change, theirs: await world.read() };
  }

  it('is neither marked nor changed', async () => {
    const { ledger, change, theirs, read } = await overtaken();
    expect(await record(change, { kind: 'marked', facts: {} }, ledger)).toBeUndefined();
    const rejected = { kind: 'rejected', why: 'Order_Invalid', facts: {} } as const;
    expect(await record(change, rejected, ledger)).toBeUndefined();
    expect(await read()).toEqual(theirs);
  });

  it('is uncertain after a call, and a new message asks again', async () => {
    const { ledger, change, theirs, read } = await overtaken();
    let asked = 0;
    const applied = { facts: { appliedKey: 'key-2' } };
    const recorded = await recordApplied(change, applied, ledger, async () => {
      // A worker that gets the new message at once must find the mark.
      expect(await read()).toMatchObject({ uncertain: true });
      asked += 1;
    });
    expect([recorded, asked]).toEqual([undefined, 1]);
    expect(await read()).toEqual({
      ...theirs,
      uncertain: true,
      revision: (theirs?.revision ?? 0) + 1,
    });
  });
});
