import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { addSetting, createProject } from '../../support/project.ts';
import { startStackCommand } from '../../support/started-command.ts';

it('npm start with products by Events ends with both sides in sync', async () => {
  const folder = createProject('connector-events');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  addSetting(folder, "healing: { productChanges: 'events' }");
  const command = startStackCommand(folder, '--once', '--port', '0');
  const code = await command.ended();
  expect(command.output()).toMatch(/\nin sync: 3 orders, 1 product, 6 coupons\n$/);
  expect(code).toBe(0);
  // The outage of that day.
  expect(command.output()).toContain('again in');
  expect(command.output()).toContain('arrived: Product/update');
  expect(command.output()).not.toContain('arrived: products/');
});
