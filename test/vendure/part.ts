import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../local/stack/start-options.ts';
import { installVendure, VendureEngine } from '../../local/vendure-engine/engine.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { playDay } from './day.ts';
import { copyNewestOrder } from './engine.ts';
import { playErasure } from './erasure.ts';
import { playOperator } from './operator.ts';
import { playPast } from './past.ts';

/** The process of one part of `npm run check:vendure`. Tells its parent the faults. */
const [name = ''] = process.argv.slice(2);
const CONTRACT = join(import.meta.dirname, 'contract.ts');
const began = Number(process.env.CHECK_BEGAN);
const say = (line: string) => {
  const seconds = String(Math.round((Date.now() - began) / 1000)).padStart(4);
  console.log(`${seconds} s  ${name.padEnd(8)} ${line}`);
};

/** Each gives its faults. */
const PARTS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  kit,
  contract,
  day: async () => playDay(folder, await openEngine(), say),
  erasure: async () => playErasure(await openEngine(), say),
  operator: async () => playOperator(folder, await openEngine(), say),
  past: async () => playPast(folder, await openEngine(), say),
};
const part = PARTS[name];
if (!part) throw new Error(`the parts are ${Object.keys(PARTS).join(', ')}`);
const folder = await installVendure(say);
const data = mkdtempSync(join(tmpdir(), 'vendure-'));
process.once('exit', () => rmSync(data, { recursive: true, force: true }));
// At the end, or when the parent was killed: the engine and the stack go with this process.
process.once('disconnect', () => process.exit());
const faults = await part();
process.send?.(faults);
process.exitCode = faults.length > 0 ? 1 : 0;
process.disconnect?.();

async function openEngine(): Promise<VendureEngine> {
  return new VendureEngine(folder, join(data, `${name}.sqlite`), await freePort());
}

/** The contract of every store platform: test/contract/store-platform.ts. */
async function kit(): Promise<readonly string[]> {
  const vitest = join(PACKAGE_FOLDER, 'node_modules/vitest/vitest.mjs');
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const options = ['run', '--config', config, '--root', PACKAGE_FOLDER, '--no-color'];
  const child = spawn(process.execPath, [vitest, ...options], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: its workers do not end with it.
    detached: true,
  });
  const stop = () => child.pid && process.kill(-child.pid);
  process.once('exit', stop);
  const output = text(child.stdout);
  const [code] = await once(child, 'exit');
  process.off('exit', stop);
  const [summary = 'no tests'] = /(?<=^ +Tests +)\S.*$/m.exec(await output) ?? [];
  say(`the contract of a store platform: ${summary}`);
  if (code !== 0) console.log(await output);
  return code === 0 ? [] : ['the contract of a store platform is not kept'];
}

/** The connector's store on the engine, and a bug in it that must be found. */
async function contract(): Promise<readonly string[]> {
  const engine = await openEngine();
  try {
    await engine.start(undefined);
    const examples = await askStore(engine, 'examples');
    const planted = await askStore(engine, 'planted');
    await engine.kill();
    copyNewestOrder(engine, 250);
    // As a merchant may set it: less than a page of the connector.
    process.env.VENDURE_LIST_LIMIT = '50';
    await engine.start(undefined);
    const pages = await askStore(engine, 'pages');
    const isFound = planted.some((line) => line.startsWith('a line and its shipping'));
    return [...examples, ...pages, ...(isFound ? [] : ['the planted bug was not found'])];
  } finally {
    await engine.kill();
  }
}

/** In a process of its own: the planted bug must not stay in this one. */
async function askStore({ port }: VendureEngine, what: string): Promise<readonly string[]> {
  const child = fork(CONTRACT, [String(port), what], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (more) => {
    output += more;
  });
  await once(child, 'close');
  const lines = output.trim().split('\n');
  const found = lines.flatMap((line) => (line.startsWith('FAULT ') ? [line.slice(6)] : []));
  say(`the store on the engine, ${what}: ${lines.at(-1)}`);
  if (what !== 'planted') for (const line of found) say(`  ${line}`);
  const isWhole = child.exitCode === (found.length > 0 ? 1 : 0) && lines.length > found.length;
  return isWhole ? found : [...found, `${what}: it ended before its end`];
}
