import { describe, expect, it } from 'vitest';
import { readArguments } from '../../simulation/arguments.ts';
import { mutate } from '../../simulation/mutations/apply-mutation.ts';
import { mutations } from '../../simulation/mutations/mutations.ts';

describe('the arguments of the simulation', () => {
  it('are one seed of 200 webhooks unless said otherwise', () => {
    expect(readArguments([])).toMatchObject({ kind: 'run', seeds: 1, events: 200 });
    expect(readArguments(['--seed', '17', '--events', '5', '--seeds', '3'])).toMatchObject({
      seed: 17,
      events: 5,
      seeds: 3,
    });
    expect(readArguments(['--hours', '0.5'])).toMatchObject({ hours: 0.5 });
    expect(readArguments(['--mutations'])).toEqual({ kind: 'mutations' });
    expect(readArguments(['-h'])).toEqual({ kind: 'help' });
  });

  it.each([[['--seed', 'x']], [['--seeds', '0']], [['--hours', '-1']], [['--sed', '1']], [['7']]])(
    'are refused with a word about it: %j',
    (args) => {
      expect(readArguments(args)).toMatchObject({ kind: 'wrong', why: expect.any(String) });
    },
  );
});

describe('the mutations', () => {
  it.each(mutations)('$name still has its place in the source', (mutation) => {
    expect(mutate(mutation)).not.toBe('');
  });

  it('have names of their own', () => {
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
  });
});
