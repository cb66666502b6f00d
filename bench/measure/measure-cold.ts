import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface ColdMeasure {
  readonly importMs: number;
  readonly firstMs: number;
  readonly cpuMs: number;
}

const SCRIPT = fileURLToPath(new URL('./cold-process.mjs', import.meta.url));

/** A new process that loads the bundle and handles one event. */
export async function measureCold(
  bundle: string,
  event: unknown,
  env: Readonly<Record<string, string>>,
): Promise<ColdMeasure> {
  const eventFile = join(bundle, '..', 'event.json');
  writeFileSync(eventFile, JSON.stringify(event));
  const child = spawn(process.execPath, [SCRIPT, bundle, eventFile], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [answer, [code]] = await Promise.all([
    text(child.stdio[3] as Readable),
    once(child, 'close') as Promise<[number]>,
  ]);
  if (code !== 0) throw new Error(`${bundle} ended with ${code}`);
  return JSON.parse(answer) as ColdMeasure;
}
