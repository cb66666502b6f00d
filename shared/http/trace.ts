import { randomBytes } from 'node:crypto';

/**
 * Where X-Ray's daemon is told of the calls of a function with `deployment.tracing`, instead of AWS's SDK. The bundler
 * leaves all of it out of a function without tracing.
 */

interface Trace {
  readonly root: string;
  /** The segment that Lambda writes for this invocation. */
  readonly parent: string;
  readonly sampled: '0' | '1';
}

type CallResult =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'failure' };

/** Lambda sets the variable anew for each invocation ("Defined runtime environment variables"). */
function currentTrace(): Trace | undefined {
  const fields = (process.env._X_AMZN_TRACE_ID ?? '').split(';').map((field) => field.split('='));
  const { Root: root, Parent: parent, Sampled: sampled } = Object.fromEntries(fields);
  return root && parent ? { root, parent, sampled: sampled === '1' ? '1' : '0' } : undefined;
}

/** For the log: leads from a delivery to its trace. */
export const traceId = (): string | undefined => currentTrace()?.root;

/**
 * SQS stores it with the message as `AWSTraceHeader`, and Lambda links the worker's trace to it ("Amazon SQS and AWS
 * X-Ray"). Without the lineage: by that, Lambda would stop a message that a worker sends on as a recursive loop.
 */
export function traceHeaders(): Readonly<Record<string, string>> {
  const trace = currentTrace();
  if (!trace) return {};
  const { root, parent, sampled } = trace;
  return { 'x-amzn-trace-id': `Root=${root};Parent=${parent};Sampled=${sampled}` };
}

/** Tells the daemon of each call: where to, how long, and its status. No path, because it may name a customer. */
export function traceCalls<Request extends { readonly method: string }, Result extends CallResult>(
  host: string,
  send: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  const tell = createTeller(process.env.AWS_XRAY_DAEMON_ADDRESS);
  return async (request) => {
    const trace = currentTrace();
    if (!tell || trace?.sampled !== '1') return send(request);
    const begin = Date.now();
    const result = await send(request);
    tell({
      name: host,
      id: randomBytes(8).toString('hex'),
      trace_id: trace.root,
      parent_id: trace.parent,
      type: 'subsegment',
      namespace: 'remote',
      start_time: begin / 1000,
      end_time: Date.now() / 1000,
      ...outcomeOf(request, result),
    });
    return result;
  };
}

/** As X-Ray colours a call: the caller's error, or the fault of the other side. */
function outcomeOf({ method }: { readonly method: string }, result: CallResult): object {
  if (result.kind === 'failure') return { http: { request: { method } }, fault: true };
  const { status } = result;
  const http = { request: { method }, response: { status } };
  if (status < 400) return { http };
  return { http, ...(status < 500 ? { error: true, throttle: status === 429 } : { fault: true }) };
}

/** "Sending trace data to AWS X-Ray": a packet with a line of format and a line of content. What is lost is lost. */
function createTeller(address: string | undefined): ((segment: object) => void) | undefined {
  const [host, port] = address?.split(':') ?? [];
  if (!host || !port) return undefined;
  const socket = process.getBuiltinModule('node:dgram').createSocket('udp4').unref();
  socket.on('error', () => {});
  return (segment) =>
    socket.send(`{"format":"json","version":1}\n${JSON.stringify(segment)}`, Number(port), host);
}
