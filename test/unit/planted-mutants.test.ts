import { stripTypeScriptTypes } from 'node:module';
import { runInThisContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { ASK, plant } from '../mutation/plant.ts';

const CODE = `({
  order: (n: number, list: number[]) => {
    if (n > 2 && list.length > 0) list.push(n);
    else list.pop();
    return { ...(n === 1 && { one: 'first' }), sum: list.filter((one) => one !== 5).at(0) ?? 7 };
  },
  kind: (n: number) => { switch (n) { case 1: return 'a'; default: return ['b', !n]; } },
})`;
const { code, mutants } = plant('x.ts', CODE, 10);

const evaluate = () => runInThisContext(stripTypeScriptTypes(code));

function answers(planted?: number): string {
  Object.assign(globalThis, { [ASK]: (id: number) => id === planted });
  const { order, kind } = evaluate();
  const lists = [[], [5], [5, 3]];
  return JSON.stringify([
    [0, 1, 2, 3].map((n) => lists.map((list) => [order(n, [...list])].concat(list.length))),
    [0, 1, 2].map(kind),
    [2, 3].map((n) => lists.map((list) => [order(n, list), list.length])),
  ]);
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, ASK);
});

describe('planted code', () => {
  const sound = answers();

  it('does what it did before as long as no mutant is awake', () => {
    Object.assign(globalThis, { [ASK]: () => false });
    expect(evaluate().order(3, [5, 4])).toEqual({ sum: 4 });
    expect(sound).not.toContain('null');
  });

  it.each(mutants)('does something else with: $change', ({ id }) => {
    let mutated = 'it throws';
    try {
      mutated = answers(id);
    } catch {}
    expect(mutated).not.toBe(sound);
  });

  it('has a mutant in each condition, constant, call, element and property', () => {
    expect(mutants).toHaveLength(34);
  });
});
