import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { identifyCall } from '../../local/stack/gateway/gateway.ts';
import { REGION } from './engine.ts';

export const ACCOUNT = '000000000000';

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

interface Recorder {
  calls: RecordedCall[];
  /** Whether a call of a function must not arrive. Default: none. */
  stops(call: Omit<RecordedCall, 'denied'>): Promise<boolean>;
}

/**
 * Between everything here and the engine. It says that the caller came by TLS, which the policies of the queues demand,
 * and gives the addresses of queues as its own, so that every call passes through it.
 */
export async function startRecorder(enginePort: number): Promise<Emulator & Recorder> {
  const recorder: Recorder = { calls: [], stops: async () => false };
  const server = createServer(async (incoming, response) => {
    const { method, url = '', headers } = incoming;
    const body = await buffer(incoming).catch(() => undefined);
    if (!body) return;
    const [, key] = FUNCTION_KEY.exec(String(headers.authorization)) ?? [];
    const amzTarget = String(headers['x-amz-target'] ?? '');
    const place = { region: REGION, account: ACCOUNT };
    const found = key && identifyCall({ path: url, amzTarget, body }, place);
    const call = key && found && { key, action: found.action, items: found.items ?? [] };
    if (call && (await recorder.stops(call))) return void response.destroy();
    const own = `127.0.0.1:${Object(server.address()).port}`;
    const sent = { ...headers, 'x-forwarded-proto': 'https', connection: 'close' };
    const onward = request(
      { host: '127.0.0.1', port: enginePort, method, path: url, headers: sent },
      async (answer) => {
        const bytes = await buffer(answer).catch(() => undefined);
        if (!bytes) return void response.destroy();
        const status = answer.statusCode ?? 502;
        if (call) {
          const text = status < 400 ? '' : bytes.toString();
          recorder.calls.push({ ...call, denied: DENIAL.test(text) ? text : undefined });
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
  return Object.assign(recorder, await listen(server));
}
