import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../local/stack/emulators.ts';
import { freePort } from '../../local/stack/start-options.ts';

/** A program that listens on a loopback port: `command` gets the port. */
export async function startEngine(
  command: (port: number) => readonly [program: string, ...options: string[]],
  environment: Readonly<Record<string, string>> = {},
): Promise<Emulator> {
  const port = await freePort();
  const [program, ...options] = command(port);
  const child = spawn(program, options, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-4_000);
  });
  const end = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void end.then(() => {
    ended = true;
  });
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await answers(endpoint))) {
    if (ended) throw new Error(`${program} ended before it listened:\n${errors}`);
    await sleep(200);
  }
  return {
    endpoint,
    async stop() {
      child.kill();
      await end;
    },
  };
}

const answers = (endpoint: string) =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );
