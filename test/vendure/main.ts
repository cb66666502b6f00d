import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/stack/start-options.ts';
import { installVendure, VendureEngine } from '../../local/vendure-engine/engine.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { playDay } from './day.ts';
import { checkTypes, copyNewestOrder } from './engine.ts';

const CONTRACT = join(import.meta.dirname, 'contract.ts');
const begin = Date.now();
const say = (text: string) => {
  const seconds = String(Math.round((Date.now() - begin) / 1000)).padStart(4);
  console.log(`${seconds} s  ${text}`);
};

/** The parts, each with its faults. */
const PARTS: Readonly<Record<string, () => Promise<readonly string[]>>> = { kit, contract, day };
const asked = process.argv.slice(2);
const folder = await installVendure(say);
checkTypes();
say('the plugin fits the types of the engine');
const data = mkdtempSync(join(tmpdir(), 'vendure-'));
const faults: string[] = [];
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (asked.length === 0 || asked.includes(name)) faults.push(...(await part()));
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}
say(`${faults.length} faults`);
for (const fault of faults) console.log(`  FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** The contract of every store platform: test/contract/store-platform.ts. */
async function kit(): Promise<readonly string[]> {
  const vitest = join(PACKAGE_FOLDER, 'node_modules/vitest/vitest.mjs');
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const options = ['run', '--config', config, '--root', PACKAGE_FOLDER];
  const child = spawn(process.execPath, [vitest, ...options], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0 ? [] : ['the contract of a store platform is not kept'];
}

/** The connector's store on the engine, and a bug in it that must be found. */
async function contract(): Promise<readonly string[]> {
  const engine = new VendureEngine(folder, join(data, 'contract.sqlite'), await freePort());
  try {
    await engine.start(undefined);
    const examples = await askStore(engine, 'examples');
    const planted = await askStore(engine, 'planted');
    await engine.kill();
    copyNewestOrder(engine, 250);
    await engine.start(undefined);
    const pages = await askStore(engine, 'pages');
    const isFound = planted.some((line) => line.startsWith('a line and its shipping'));
    return [...examples, ...pages, ...(isFound ? [] : ['the planted bug was not found'])];
  } finally {
    await engine.kill();
  }
}

/** In a process of its own: the planted bug must not stay in this one. */
async function askStore({ port }: VendureEngine, part: string): Promise<readonly string[]> {
  const child = fork(CONTRACT, [String(port), part], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await once(child, 'close');
  const lines = output.trim().split('\n');
  const found = lines.flatMap((line) => (line.startsWith('FAULT ') ? [line.slice(6)] : []));
  say(`the store on the engine, ${part}: ${lines.at(-1)}`);
  if (part !== 'planted') for (const line of found) say(`  ${line}`);
  const isWhole = child.exitCode === (found.length > 0 ? 1 : 0) && lines.length > found.length;
  return isWhole ? found : [...found, `${part}: it ended before its end`];
}

async function day(): Promise<readonly string[]> {
  const engine = new VendureEngine(folder, join(data, 'day.sqlite'), await freePort());
  return playDay(engine, say);
}
