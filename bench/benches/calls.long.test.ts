import { afterAll, expect, it } from 'vitest';
import { openLab } from '../lab.ts';
import { isMet } from '../report/report.ts';
import { calls } from './calls.ts';

const lab = openLab();
afterAll(async () => (await lab).close());

it('measures bundles that do the whole job, with exactly the promised calls', async () => {
  const figures = await calls.run({ quick: true, lab: () => lab });
  expect(figures.map(({ key }) => key)).toContain('calls.apply.unchanged.loyalty');
  for (const figure of figures) {
    expect(figure.bar && isMet(figure, figure.bar), figure.key).toBe(true);
  }
});
