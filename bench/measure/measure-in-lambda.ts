import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./lambda-process.mjs', import.meta.url));

/**
 * A cold start as Lambda runs it: from the start of the process to its answer at the Runtime API, with TLS to AWS. The
 * network is this machine's.
 */
export async function measureInLambda(
  bundle: string,
  event: unknown,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly wallMs: number }> {
  const text = JSON.stringify(event);
  const answered = Promise.withResolvers<number>();
  const api = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end(text);
      return;
    }
    answered.resolve(performance.now());
    response.writeHead(202).end();
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const started = performance.now();
  const child = spawn(process.execPath, [SCRIPT, bundle], {
    env: { ...env, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  api.close();
  if (code !== 0) throw new Error(`${bundle} ended with ${code}`);
  return { wallMs: (await answered.promise) - started };
}
