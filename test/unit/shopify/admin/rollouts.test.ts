import { describe, expect, it } from 'vitest';
import { failure } from '../../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import {
  cacheRollouts,
  describeOverrides,
  followRollouts,
  type Rollout,
  readRollouts,
} from '../../../../shared/shopify/admin/rollouts.ts';
import { storeCoupon } from '../../../fixtures/store-entities.ts';
import { askIn, pagesOf } from '../../../support/admin-execution.ts';

const ID = '1688847450345';
const STARTED = '2026-10-10T00:00:00.000Z';
const CONCLUDES = '2026-12-01T00:00:00.000Z';

type Treatment = { split: number; activate?: readonly string[]; expire?: readonly string[] };

function node(allocation: number, ...treatments: readonly Treatment[]) {
  const change = (does: string) => (id: string) => ({
    __typename: `RolloutDiscount${does}Change`,
    discount: id === '' ? null : { id: `gid://shopify/DiscountNode/${id}` },
  });
  return {
    ...{
      name: 'Launch',
      effectiveTrafficAllocation: allocation,
      startedAt: '2026-10-10T00:00:00Z',
    },
    schedule: { concludeAt: '2026-12-01T00:00:00Z' },
    treatments: treatments.map(({ split, activate = [], expire = [] }) => ({
      split,
      changes: pagesOf([...activate.map(change('Activate')), ...expire.map(change('Expire'))]),
    })),
  };
}

const rootWith = (...nodes: readonly object[]) => ({ rollouts: pagesOf(nodes) });

async function read(...nodes: readonly object[]): Promise<readonly Rollout[]> {
  const answer = await readRollouts(askIn(rootWith(...nodes)));
  if (answer.kind !== 'read') throw new Error(JSON.stringify(answer));
  return answer.rollouts;
}

const OWN = {
  active: storeCoupon({ discountId: ID, status: 'active' }),
  scheduled: storeCoupon({
    ...{ discountId: ID, status: 'scheduled' },
    startsAt: '2026-11-01T00:00:00.000Z',
  }),
  expired: storeCoupon({
    ...{ discountId: ID, status: 'expired' },
    endsAt: '2026-10-05T00:00:00.000Z',
  }),
};
const activated = { status: 'active', startsAt: OWN.active.startsAt, endsAt: undefined };

describe('a code whose discount is in an active Rollout', () => {
  const all = { split: 100 };
  it.each([
    ['is given to all', 'expired', 'activate', 100, { ...activated, endsAt: CONCLUDES }],
    [
      'is given before its own start',
      'scheduled',
      'activate',
      100,
      { ...activated, startsAt: STARTED },
    ],
    ['is active anyway', 'active', 'activate', 100, activated],
    ['is withheld from all', 'active', 'expire', 100, { status: 'expired' }],
    ['is given to some', 'expired', 'activate', 99, { onlyForSome: true }],
    ['is given to some before its own start', 'scheduled', 'activate', 40, { onlyForSome: true }],
    ['is given to some who have it anyway', 'active', 'activate', 40, {}],
    ['is withheld from some', 'active', 'expire', 40, { onlyForSome: true }],
    ['is withheld from some, and over anyway', 'expired', 'expire', 40, {}],
    ['may still be kept by buyers of before', 'expired', 'activate', 0, { onlyForSome: true }],
  ] as const)('%s: own dates %s, %s for %i %%', async (_, own, does, allocation, changed) => {
    const rollouts = await read(node(allocation, { ...all, [does]: [ID] }));
    expect(followRollouts(OWN[own], rollouts)).toEqual({ ...OWN[own], ...changed });
    // Another discount is left alone.
    const other = storeCoupon({ discountId: '7', status: 'expired' });
    expect(followRollouts(other, rollouts)).toBe(other);
  });

  it('counts all treatments that do the same, each by its share', async () => {
    const split = (...splits: readonly number[]) =>
      read(node(100, ...splits.map((one) => ({ split: one, activate: [ID] }))));
    const follow = async (...splits: readonly number[]) =>
      followRollouts(OWN.expired, await split(...splits));
    expect(await follow(33, 33, 34)).toMatchObject({ status: 'active' });
    expect(await follow(50, 49)).toMatchObject({ onlyForSome: true });
  });

  it('is not known where treatments or Rollouts contradict each other', async () => {
    const test = node(100, { split: 50, activate: [ID] }, { split: 50, expire: [ID] });
    const two = [node(100, { ...all, activate: [ID] }), node(100, { ...all, expire: [ID] })];
    for (const rollouts of [await read(test), await read(...two)]) {
      expect(followRollouts(OWN.active, rollouts)).toMatchObject({ onlyForSome: true });
    }
  });

  it('keeps its own end where that is later than the planned end of the Rollout', async () => {
    const later = { ...OWN.scheduled, endsAt: '2027-01-01T00:00:00.000Z' };
    const rollouts = await read(node(100, { ...all, activate: [ID] }));
    expect(followRollouts(later, rollouts)).toMatchObject({ endsAt: later.endsAt });
  });
});

it.each([
  ['the code never ends', {}, undefined],
  ['the Rollout is not planned to end', { endsAt: '2027-01-01T00:00:00.000Z' }, null],
])('a code that a Rollout gives to all has no end where %s', async (_, own, concludeAt) => {
  const given = { ...node(100, { split: 100, activate: [ID] }) };
  const schedule = concludeAt === null ? null : given.schedule;
  const rollouts = await read({ ...given, schedule });
  expect(followRollouts({ ...OWN.scheduled, ...own }, rollouts)).toMatchObject({
    endsAt: undefined,
  });
});

describe('reading Rollouts', () => {
  const LAST = { hasNextPage: false, endCursor: null };
  const answering = (rollouts: object) =>
    (async () => ({ kind: 'data', data: { rollouts } })) as unknown as Ask;

  it('reads all pages, and leaves out discounts that are gone and changes of other things', async () => {
    const many = Array.from({ length: 5 }, () => node(100, { split: 100, activate: ['', ID] }));
    const rollouts = await read(...many);
    expect(rollouts.map(({ changes }) => changes)).toEqual(
      many.map(() => [{ discountId: ID, does: 'activate', share: 100 }]),
    );
    const theme = { __typename: 'RolloutThemePublishChange' };
    const changes = { nodes: [theme], pageInfo: LAST };
    const other = { ...node(100), treatments: [{ split: 100, changes }] };
    expect(await readRollouts(answering({ nodes: [other], pageInfo: LAST }))).toMatchObject({
      rollouts: [{ name: 'Launch', changes: [] }],
    });
  });

  it.each([
    ['without the scope', failure('access-denied', { scope: 'read_rollouts' })],
    ['where the store has no such query', failure('query-refused')],
    ['where an answer is not as documented', { kind: 'data', data: { rollouts: {} } }],
  ])('is not known %s, which is not the same as none', async (_, answer) => {
    const ask = (async () => answer) as unknown as Ask;
    expect((await readRollouts(ask)).kind).toBe('not-known');
  });

  it('is not known where a treatment has more discounts than one page', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => String(index + 1));
    const answer = await readRollouts(askIn(rootWith(node(100, { split: 100, activate: ids }))));
    expect(answer.kind).toBe('not-known');
  });

  it('happens once a minute at most, and again at once after a store that did not answer', async () => {
    let ms = 0;
    let asked = 0;
    let isAway = true;
    const ask = (async () => {
      asked += 1;
      return isAway
        ? failure('time-out')
        : answering({ nodes: [], pageInfo: LAST })({} as never, {});
    }) as unknown as Ask;
    const rollouts = cacheRollouts(() => ms);
    expect((await rollouts(ask)).kind).toBe('unavailable');
    isAway = false;
    const kinds = async () =>
      (await Promise.all([rollouts(ask), rollouts(ask)])).map(({ kind }) => kind);
    await kinds();
    ms = 59_999;
    await kinds();
    expect(asked).toBe(2);
    ms = 60_000;
    await kinds();
    expect(asked).toBe(3);
  });

  it('names each discount with all that decides how it is given', async () => {
    const given = async (allocation: number) =>
      describeOverrides(await read(node(allocation, { split: 100, activate: [ID] })));
    expect((await given(100)).get(ID)).toBe((await given(100)).get(ID));
    expect((await given(100)).get(ID)).not.toBe((await given(40)).get(ID));
    expect([...(await given(100)).keys()]).toEqual([ID]);
  });
});
