import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { identifyCall } from '../../local/stack/gateway/gateway.ts';
import { REGION } from './engine.ts';

const ACCOUNT = '000000000000';

/** A call to AWS that a function made. */
export interface RecordedCall {
  /** The key that signed it: each function has one. */
  readonly key: string;
  readonly action: string;
  /** Of a call to DynamoDB: the items or keys in it. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Why the engine refused it. */
  readonly denied: string | undefined;
}

const FUNCTION_KEY = /Credential=(ASIA[A-Z0-9]{16})\//;
const DENIAL = /AccessDenied|not authorized to perform/;

/**
 * Between everything here and the engine. It says that the caller came by TLS, which the policies of the queues demand,
 * and gives the addresses of queues as its own, so that every call passes through it.
 */
export async function startRecorder(
  enginePort: number,
): Promise<Emulator & { readonly calls: readonly RecordedCall[] }> {
  const calls: RecordedCall[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, url = '', headers } = incoming;
    const body = await buffer(incoming).catch(() => undefined);
    if (!body) return;
    const own = `127.0.0.1:${Object(server.address()).port}`;
    const sent = { ...headers, 'x-forwarded-proto': 'https', connection: 'close' };
    const onward = request(
      { host: '127.0.0.1', port: enginePort, method, path: url, headers: sent },
      async (answer) => {
        const bytes = await buffer(answer).catch(() => undefined);
        if (!bytes) return void response.destroy();
        const [, key] = FUNCTION_KEY.exec(String(headers.authorization)) ?? [];
        const amzTarget = String(headers['x-amz-target'] ?? '');
        const place = { region: REGION, account: ACCOUNT };
        const call = key && identifyCall({ path: url, amzTarget, body }, place);
        const status = answer.statusCode ?? 502;
        if (key && call) {
          const text = status < 400 ? '' : bytes.toString();
          const denied = DENIAL.test(text) ? text : undefined;
          calls.push({ key, action: call.action, items: call.items ?? [], denied });
        }
        const isXml = String(answer.headers['content-type']).includes('xml');
        const told = isXml
          ? Buffer.from(bytes.toString().replaceAll(`localhost:${enginePort}`, own))
          : bytes;
        const { 'transfer-encoding': _, connection: __, ...kept } = answer.headers;
        const length = method === 'HEAD' ? {} : { 'content-length': told.length };
        response.writeHead(status, { ...kept, ...length }).end(told);
      },
    );
    onward.once('error', () => response.destroy());
    onward.end(body);
  });
  return { ...(await listen(server)), calls };
}
