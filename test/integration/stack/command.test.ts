import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startByNpm, startStackCommand } from '../../support/started-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'connector-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('npm start', () => {
  it('--once plays a day in the store and ends with 0 when both sides agree', async () => {
    const command = startByNpm('--once', '--port', '0');
    const code = await command.ended();
    expect(command.output()).toMatch(/\nin sync: 3 orders, 5 products, 6 coupons\n$/);
    expect(code).toBe(0);
    expect(command.output()).toContain('again in');
  }, 180_000);

  it.each([
    [['--port', 'x'], '--port must be a whole number'],
    [['--stage', 'nowhere'], 'connector.config.nowhere.ts is missing'],
    [['--once', '--no-demo'], 'leave nothing to do'],
    [['--typo'], "Unknown option '--typo'"],
  ])(
    '%j is a mistake that one line explains',
    async (args, problem) => {
      const command = startStackCommand(folder, ...args);
      expect(await command.ended()).toBeGreaterThan(0);
      expect(command.output()).toContain(problem);
      expect(command.output().trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );
});
