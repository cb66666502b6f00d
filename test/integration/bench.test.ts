import { afterAll, expect, it } from 'vitest';
import { calls } from '../../bench/benches/calls.ts';
import { openLab } from '../../bench/lab.ts';
import { isMet } from '../../bench/report/report.ts';

const lab = openLab();
afterAll(async () => (await lab).close());

it('measures bundles that really do the job, with exactly the calls that were promised', async () => {
  const figures = await calls.run({ quick: true, lab: () => lab });
  expect(figures.map(({ key }) => key)).toContain('calls.apply.unchanged.loyalty');
  for (const figure of figures) {
    expect(figure.bar && isMet(figure, figure.bar), figure.key).toBe(true);
  }
});
