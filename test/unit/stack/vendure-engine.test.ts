import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CannotStart } from '../../../local/stack/synthesize.ts';
import { VendureEngine } from '../../../local/vendure-engine/engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'vendure-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

function engineThat(does: string): VendureEngine {
  writeFileSync(join(folder, 'server.mjs'), does);
  return new VendureEngine(folder, join(folder, 'vendure.sqlite'), 4032);
}

it('an engine that does not start says why, and what to do', async () => {
  const engine = engineThat("console.error('no such table'); process.exitCode = 1;");
  const failed = await engine.start(undefined).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(CannotStart);
  expect(failed).toHaveProperty('message', expect.stringContaining('It said:\nno such table\n'));
  expect(failed).toHaveProperty('message', expect.stringContaining(`delete ${folder}`));
});

it('an engine that ends by itself is reported, one that is stopped is not', async () => {
  const stopped = engineThat("process.send('ready'); process.on('disconnect', process.exit);");
  const reports: string[] = [];
  stopped.onCrash = (log) => reports.push(log);
  await stopped.start(undefined);
  await stopped.kill();

  const crashing = engineThat(
    "process.send('ready', () => { console.error('out of memory'); process.exit(1); });",
  );
  const crashed = new Promise<string>((resolve) => {
    crashing.onCrash = resolve;
  });
  await crashing.start(undefined);
  expect(await crashed).toBe('out of memory');
  expect(reports).toEqual([]);
});
