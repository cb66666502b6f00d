import { afterAll, expect, it } from 'vitest';
import { worker } from './benches/worker.ts';
import { openLab } from './lab.ts';

const lab = openLab();
afterAll(async () => (await lab).close());

it('measures bundles of both variants that do the whole job', async () => {
  const figures = await worker.run({ quick: true, lab: () => lab });
  const cold = figures.find(({ key }) => key === 'worker.cold.lambda');
  expect(cold).toMatchObject({ floor: expect.any(Number) });
  expect(figures.map(({ key }) => key)).toContain('worker.unchanged.batch10');
});
