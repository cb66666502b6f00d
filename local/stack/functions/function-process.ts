import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InvocationRequest, ProcessMessage } from './function-worker.ts';

/**
 * The process of one function, in place of Lambda's runtime: loads the bundle once, then serves one
 * invocation after another. Its arguments are the folder of the bundle and the handler.
 */
type Handler = (event: unknown, context: unknown) => unknown;

// The runner has ended, even if it was killed: the process must not outlive it.
process.on('disconnect', () => process.exit(0));

// Node has read the first, and the shell that started it has set the others: a function must find only what Lambda
// would give it.
for (const name of ['NODE_COMPILE_CACHE', 'PWD', 'OLDPWD', 'SHLVL', '_']) delete process.env[name];

const [folder = '', name = ''] = process.argv.slice(2);
const handler = await loadHandler(folder, name);
process.on('message', (request: InvocationRequest) => void serve(request));
send({ kind: 'ready' });

async function loadHandler(inFolder: string, handlerName: string): Promise<Handler> {
  const [file = '', exported = ''] = handlerName.split('.');
  const path = ['.js', '.mjs', '.cjs']
    .map((extension) => join(inFolder, `${file}${extension}`))
    .find(existsSync);
  if (path === undefined) throw new Error(`there is no ${file} in the bundle`);
  const module = await import(pathToFileURL(path).href);
  const found: unknown = module[exported] ?? module.default?.[exported];
  if (typeof found !== 'function') throw new Error(`the bundle exports no ${exported}`);
  return found as Handler;
}

async function serve(request: InvocationRequest): Promise<void> {
  const { requestId, event } = request;
  try {
    const value = await handler(event, contextOf(request));
    send({ kind: 'returned', requestId, json: JSON.stringify(value ?? null) });
  } catch (error) {
    const { name: errorType, message: errorMessage } =
      error instanceof Error ? error : { name: 'Error', message: String(error) };
    console.error(
      JSON.stringify({ level: 'error', message: 'Invoke Error', errorType, requestId }),
    );
    send({ kind: 'failed', requestId, errorType, errorMessage });
  }
}

/** What our functions use of it. */
const contextOf = ({ requestId, deadline }: InvocationRequest) => ({
  awsRequestId: requestId,
  getRemainingTimeInMillis: () => Math.max(deadline - Date.now(), 0),
});

function send(message: ProcessMessage): void {
  process.send?.(message);
}
