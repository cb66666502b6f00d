import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { LASTING } from './lasting.ts';

/** Everything that a function talks to. */
const outsideServices = ['ledger', 'queue', 'secrets', 'loyalty', 'store'] as const;
export type OutsideService = (typeof outsideServices)[number];

export interface OutsideCall {
  /** From 0, in the order in which the calls of this line came. */
  readonly index: number;
  readonly service: OutsideService;
  /** `PutItem`, `POST /POS/rewards/*\/redeem`, `discountCodeBasicCreate`. */
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly at: number;
}

/**
 * What becomes of a call:
 *
 *   unsent          not executed, and the connection is reset
 *   killed-before   not executed, and the process makes no further call
 *   killed-after    executed, and the process makes no further call
 *   meanwhile       executed, and this happens before the answer
 *   changed         executed, and the answer is another one
 */
export type Treatment =
  | 'pass'
  | 'unsent'
  | 'killed-before'
  | 'killed-after'
  | { readonly meanwhile: () => Promise<unknown> }
  | { readonly changed: (answer: string) => string };

export type Treat = (call: OutsideCall) => Treatment | Promise<Treatment>;
export type Addresses = Readonly<Record<OutsideService, string>>;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

const upstream = new Agent({ keepAlive: true });

/**
 * The way of one process to everything outside it. A treatment decides what becomes of each call, so that a
 * test can cut the process off at any of them.
 */
export async function openLine(targets: Addresses, treat: Treat = () => 'pass') {
  const calls: OutsideCall[] = [];
  const death = Promise.withResolvers<void>();
  const servers: { readonly server: Server; readonly emulator: Emulator }[] = [];
  let isDead = false;

  function die(): void {
    isDead = true;
    for (const { server } of servers) server.closeAllConnections();
    death.resolve();
  }

  async function handle(
    service: OutsideService,
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await buffer(incoming);
    if (isDead) return void response.destroy();
    const name = nameOf(service, incoming, body.toString());
    const call = {
      index: calls.length,
      service,
      name,
      path: incoming.url ?? '',
      body: body.toString(),
      at: Date.now(),
    };
    calls.push(call);
    const treatment = await treat(call);
    if (isDead) return void response.destroy();
    if (treatment === 'killed-before') return die();
    if (treatment === 'unsent') return void response.destroy();
    const answer = await forward(targets[service], incoming, body);
    if (treatment === 'killed-after') return die();
    if (typeof treatment === 'object' && 'meanwhile' in treatment) await treatment.meanwhile();
    if (typeof treatment !== 'object' || 'meanwhile' in treatment) {
      return void response.writeHead(answer.status, answer.headers).end(answer.bytes);
    }
    const bytes = Buffer.from(treatment.changed(answer.bytes.toString()));
    const headers = { ...answer.headers, 'content-length': bytes.length };
    response.writeHead(answer.status, headers).end(bytes);
  }

  for (const service of outsideServices) {
    const server = createServer(LASTING, (incoming, response) => {
      response.on('error', () => {});
      handle(service, incoming, response).catch(() => response.destroy());
    });
    servers.push({ server, emulator: await listen(server) });
  }
  const addresses = Object.fromEntries(
    outsideServices.map((service, index) => [service, servers[index]?.emulator.endpoint ?? '']),
  ) as Addresses;

  return {
    addresses,
    calls,
    death: death.promise,
    async close(): Promise<void> {
      isDead = true;
      await Promise.all(servers.map(({ emulator }) => emulator.stop()));
    },
  };
}

function forward(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method = 'GET', url = '/', headers } = incoming;
  const { hostname, port } = new URL(target);
  return new Promise((resolve, reject) => {
    request({
      agent: upstream,
      hostname,
      port,
      method,
      path: url,
      // With its own Host, which the signature of a call to AWS covers.
      headers: { ...headers, 'accept-encoding': 'identity' },
    })
      .on('error', reject)
      .on('response', async (answer) => {
        const bytes = await buffer(answer).catch(reject);
        if (bytes) resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes });
      })
      .end(body);
  });
}

/** Ids in a path become `*`. */
function nameOf(
  service: OutsideService,
  { method, url = '', headers }: IncomingMessage,
  body: string,
): string {
  if (service === 'loyalty') {
    const path = url.replace(/\?.*/, '').replace('/v1/pvt', '');
    return `${method} ${path.replace(/(?<=\/)[^/]*(?:\d|@|%40)[^/]*/g, '*')}`;
  }
  if (service === 'store') {
    const { query = '' } = JSON.parse(body || '{}');
    return /\{\s*(?:\w+:\s*)?(\w+)/.exec(query)?.[1] ?? '';
  }
  return String(headers['x-amz-target']).replace(/^.*\./, '');
}

/** The first treatment that is not to let a call pass. */
export const both =
  (...treats: readonly Treat[]): Treat =>
  async (call) => {
    for (const treat of treats) {
      const treatment = await treat(call);
      if (treatment !== 'pass') return treatment;
    }
    return 'pass';
  };

export type Calls = (call: OutsideCall) => boolean;

/** The call that spends points. */
export const isRedeem: Calls = ({ name }) => name === 'POST /POS/rewards/*/redeem';

/** Only the first of these calls. */
export function once(calls: Calls, treatment: Treatment): Treat {
  let met = false;
  return (call) => {
    if (met || !calls(call)) return 'pass';
    met = true;
    return treatment;
  };
}
