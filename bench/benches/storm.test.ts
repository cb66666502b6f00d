import { expect, it } from 'vitest';
import { storm } from './storm.ts';

const lab = () => Promise.reject(new Error('a storm needs no lab'));

/** A fixed seed: another result means another behaviour. */
it('a shuffled storm of products/update costs fewer loyalty calls than there were changes', async () => {
  const figures = await storm.run({ quick: true, lab });
  const { value = 0, note } = figures.find(({ key }) => key === 'storm.calls') ?? {};
  expect(note).toContain('1000 products/update of 20 products, 50 real changes');
  expect(value * 50).toBeCloseTo(29, 9);
});
