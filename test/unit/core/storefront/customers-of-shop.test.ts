import { expect, it } from 'vitest';
import type { StoreAnswer } from '../../../../shared/core/store/store.ts';
import { createCustomersOfShop } from '../../../../shared/core/storefront/cached-uses.ts';
import type { StoreMember } from '../../../../shared/store/member.ts';

const found = { kind: 'found', value: {} as StoreMember } as const;
const unavailable = { kind: 'unavailable', why: 'time-out' } as const;

function open(...answers: readonly StoreAnswer<StoreMember>[]) {
  const clock = { now: Date.parse('2026-10-09T12:00:00Z') };
  const asked: (readonly [string, string])[] = [];
  const readMember = async (shop: string, id: string) => {
    asked.push([shop, id]);
    return answers[asked.length - 1] ?? expect.fail('asked too often');
  };
  const has = createCustomersOfShop(
    'example-store',
    () => ({ readMember }),
    () => new Date(clock.now),
  );
  return { has, asked, clock };
}

it('asks the store of this shop, and remembers the customers that it has for ten minutes', async () => {
  const { has, asked, clock } = open(found, found);
  expect([await has('7'), await has('7')]).toEqual([true, true]);
  expect(asked).toEqual([['example-store', '7']]);
  clock.now += 600_000;
  expect(await has('7')).toBe(true);
  expect(asked).toHaveLength(2);
});

it('does not remember a customer whom the store does not have, who may be new', async () => {
  const { has } = open({ kind: 'gone' }, { kind: 'gone' }, found);
  expect([await has('7'), await has('7'), await has('7')]).toEqual([false, false, true]);
});

it('takes no silence of the store for an answer', async () => {
  const { has } = open(unavailable, found);
  await expect(has('7')).rejects.toThrow('the store does not say');
  expect(await has('7')).toBe(true);
});
