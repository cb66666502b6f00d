import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

interface ColdMeasure {
  readonly importMs: number;
  readonly firstMs: number;
  readonly cpuMs: number;
}

const COLD = fileURLToPath(new URL('./cold-process.mjs', import.meta.url));
const LAMBDA = fileURLToPath(new URL('./lambda-process.mjs', import.meta.url));

/** A new process that loads the bundle and handles one event. */
export async function measureCold(
  bundle: string,
  event: unknown,
  env: Readonly<Record<string, string>>,
): Promise<ColdMeasure> {
  const eventFile = join(bundle, '..', 'event.json');
  writeFileSync(eventFile, JSON.stringify(event));
  const child = spawn(process.execPath, [COLD, bundle, eventFile], {
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

/**
 * A cold start as Lambda runs it: from the start of the process to its answer at the Runtime API, with TLS to AWS. The
 * network is this machine's.
 */
export async function measureInLambda(
  bundle: string,
  event: unknown,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly wallMs: number }> {
  const invocation = JSON.stringify(event);
  const answered = Promise.withResolvers<number>();
  const api = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end(invocation);
      return;
    }
    answered.resolve(performance.now());
    response.writeHead(202).end();
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const started = performance.now();
  const child = spawn(process.execPath, [LAMBDA, bundle], {
    env: { ...env, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  api.close();
  if (code !== 0) throw new Error(`${bundle} ended with ${code}`);
  return { wallMs: (await answered.promise) - started };
}
