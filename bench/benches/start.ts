import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { findFreePorts } from '../free-ports.ts';
import { spreadOf } from '../report/statistics.ts';

const PORTS = 6;
/** Of these, as `start --help` lists them. */
const STORE_PORT = 2;

/** Node's cache of compiled code, which the first start fills. */
const COMPILED = new URL('../../node_modules/.cache/compiled', import.meta.url);

/** How long a newcomer waits: `npm start -- --once`, from the command to its verdict, and to the first page. */
export const start: Bench = {
  name: 'start',
  async run({ quick }) {
    const runs = quick ? 1 : 3;
    rmSync(COMPILED, { recursive: true, force: true });
    const first = await startOnce();
    const measured = [];
    for (let run = 0; run < runs; run += 1) measured.push(await startOnce());
    const note = `seconds, the middle of ${runs}`;
    const figure = (key: string, samples: readonly number[], limit: number) => {
      const { median: value, ...spread } = spreadOf(samples);
      const bar = { kind: 'at-most', limit, of: 'value' } as const;
      return { key, value, spread, unit: 's', note, bar };
    };
    return [
      {
        key: 'start.first',
        value: first.inSync,
        unit: 's',
        note: 'the first start after an installation',
      },
      figure(
        'start.once',
        measured.map(({ inSync }) => inSync),
        10,
      ),
      figure(
        'start.page',
        measured.map(({ page }) => page),
        5,
      ),
    ];
  },
};

async function startOnce(): Promise<{ readonly inSync: number; readonly page: number }> {
  const first = await findFreePorts(PORTS);
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const command = ['start', '--silent', '--', '--once', '--port', String(first)];
  const child = spawn('npm', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const verdict = { inSync: Number.NaN };
  child.stdout.on('data', (chunk: Buffer) => {
    if (/^in sync: /m.test(chunk.toString())) verdict.inSync = seconds();
  });
  const printed = text(child.stdout);
  const ended = once(child, 'close');
  const page = firstAnswer(first + STORE_PORT, seconds, () => child.exitCode !== null);
  const [code] = await ended;
  if (code !== 0) throw new Error(`not in sync: ${await printed}`);
  return { ...verdict, page: await page };
}

async function firstAnswer(
  port: number,
  seconds: () => number,
  isOver: () => boolean,
): Promise<number> {
  while (!isOver()) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer?.ok) return seconds();
    await sleep(50);
  }
  return Number.NaN;
}
