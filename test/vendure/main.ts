import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../foreign/start-engine.ts';
import { playDay } from './day.ts';
import { checkTypes, installVendure, VendureEngine } from './engine.ts';

const begin = Date.now();
const say = (text: string) => {
  const seconds = String(Math.round((Date.now() - begin) / 1000)).padStart(4);
  console.log(`${seconds} s  ${text}`);
};

const folder = installVendure();
checkTypes();
say('the plugin fits the types of the engine');
const data = mkdtempSync(join(tmpdir(), 'vendure-'));
try {
  const engine = new VendureEngine(folder, join(data, 'day.sqlite'), await freePort());
  const { checks, faults } = await playDay(engine, say);
  say(`${checks} checks, ${faults.length} faults`);
  for (const fault of faults) console.log(`  FAULT ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  rmSync(data, { recursive: true, force: true });
}
