import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../../shared/loyalty/client.ts';
import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import {
  type Body,
  isLoopbackHost,
  type JsonBody,
  largestBodyBytes,
  parseJsonBody,
  readBody,
  splitTarget,
} from '../../sandbox-kit/http/requests.ts';
import {
  jsonAnswer,
  resetConnection,
  respond,
  respondTruncated,
} from '../../sandbox-kit/http/server.ts';
import type { Call, Fault } from '../call.ts';
import type { Route } from '../contract.ts';
import type { FaultKind } from '../fault-rule.ts';
import type { JournalEntry } from '../journal.ts';
import type { Service } from '../service.ts';

type Admission =
  | { readonly kind: 'admitted'; readonly route: Extract<Route, { kind: 'operation' }> }
  | { readonly kind: 'refused'; readonly reaction: Reaction };

/** Whether a request is a call of an operation at all, before the operation looks at it. */
function admit(
  { parts: { settings } }: Service,
  { headers }: IncomingMessage,
  route: Route,
  body: Body,
): Admission {
  const refused = (...refusalOf: Parameters<typeof refusal>): Admission => ({
    kind: 'refused',
    reaction: refusal(...refusalOf),
  });
  if (!isLoopbackHost(headers.host)) return refused(403, 'The Host header names another machine.');
  switch (route.kind) {
    case 'unknown-path':
      return refused(404, 'No operation has this path.');
    case 'bad-escape':
      return refused(400, 'The path has a percent sign that begins no valid UTF-8 escape.');
    case 'wrong-method': {
      const allow = route.allowed.join(', ');
      return refused(405, `This path takes ${allow}.`, { allow });
    }
    case 'operation':
      if (!isAuthorized(headers.authorization, settings.credentials)) {
        const challenge = { 'www-authenticate': 'Basic realm="loyalty sandbox", charset="UTF-8"' };
        return refused(
          settings.badCredentialStatus,
          'The credentials are missing or wrong.',
          challenge,
        );
      }
      if (body.kind === 'too-large') {
        return refused(413, `The body is larger than ${largestBodyBytes} bytes.`);
      }
      return { kind: 'admitted', route };
  }
}

/** Takes the same time for every wrong value: the digests are compared, and have one length. */
function isAuthorized(authorization: string | undefined, expected: Credentials): boolean {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return false;
  return timingSafeEqual(
    digest(Buffer.from(encoded, 'base64')),
    digest(Buffer.from(`${expected.token}:${expected.key}`)),
  );
}

const digest = (value: Buffer): Buffer => createHash('sha256').update(value).digest();

/** One call of the loyalty API: read, admit, decide, record, react. */
export async function handleCall(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const arrival = { at: service.parts.now().toISOString(), ...requestLine(request) };
  const began = performance.now();
  const { rawPath, query } = splitTarget(arrival.path);
  const route = service.route(arrival.method, rawPath);
  const body = await readBody(request);
  if (stopped.aborted) return;
  const json = body.kind === 'whole' ? parseJsonBody(body.bytes) : ({ kind: 'none' } as const);

  const conclude = (reaction: Reaction) => {
    service.record({
      ...arrival,
      ...(route.kind === 'operation' && { operation: route.operation }),
      ...journaledBody(body, json),
      ...journalPart(reaction),
      durationMs: Math.round((performance.now() - began) * 1000) / 1000,
    });
    perform(reaction, response);
  };

  if (body.kind === 'broken-off') return conclude({ kind: 'reset', fault: 'broken-off' });
  if (service.faults.isOutage()) return conclude({ kind: 'reset', fault: 'outage' });
  const admission = admit(service, request, route, body);
  if (admission.kind === 'refused') return conclude(admission.reaction);
  const { operation, path } = admission.route;
  const choices = {
    execute: () =>
      service.answer({ operation, path, query, ...wellFormed(service, operation, json) }),
    fail: (code: ErrorNumber) => service.parts.fail(operation, code),
  };
  const waitSeconds = service.rateLimit.take(service.parts.now().getTime());
  if (waitSeconds !== undefined) {
    const kind = service.parts.settings.rateLimit.answer;
    const throttled = applyFault({ kind, retryAfterSeconds: waitSeconds }, choices);
    return conclude({ ...throttled, fault: 'rate-limit' });
  }
  const { latencyMs, fault } = service.faults.faultsOf([operation]);
  if (latencyMs > 0) {
    const slept = await sleep(latencyMs, true, { signal: stopped }).catch(() => false);
    if (!slept) return;
  }
  let reaction: Reaction;
  try {
    reaction = fault
      ? applyFault(fault, choices)
      : { kind: 'answer', status: 200, answer: choices.execute() };
  } catch (error) {
    console.error(`The sandbox has a bug: ${operation} threw.`, error);
    reaction = { ...refusal(500, 'The sandbox has a bug: see its output.'), fault: 'crash' };
  }
  conclude(reaction);
}

function requestLine({ method = '', url = '' }: IncomingMessage) {
  return { method, path: url };
}

function wellFormed(
  { parts: { contract } }: Service,
  operation: Call['operation'],
  json: JsonBody,
): Pick<Call, 'body' | 'faults'> {
  const takesBody = contract.operations.find((o) => o.operationId === operation)?.takesBody;
  if (!takesBody) return { body: undefined, faults: [] };
  if (json.kind === 'unreadable') {
    const fault: Fault = { path: '', problem: json.problem };
    return { body: undefined, faults: [fault] };
  }
  const body = json.kind === 'json' ? json.value : undefined;
  return { body, faults: contract.validateRequest(operation, body) };
}

/** Enough to see what was sent. */
const unreadableShown = 2_000;

function journaledBody(body: Body, json: JsonBody) {
  if (json.kind === 'json') return { body: json.value };
  if (json.kind === 'none' || body.kind !== 'whole') return {};
  return { unreadableBody: body.bytes.toString('utf8', 0, unreadableShown) };
}

/** What is done about a call, once it is decided. */
type Reaction =
  | {
      readonly kind: 'answer' | 'truncated';
      readonly status: number;
      readonly answer: unknown;
      readonly headers?: OutgoingHttpHeaders;
      readonly fault?: string;
    }
  | { readonly kind: 'empty'; readonly answer: unknown; readonly fault: string }
  | { readonly kind: 'page'; readonly status: number; readonly fault: string }
  /** `answer` is there when the call was executed before. */
  | { readonly kind: 'reset'; readonly answer?: unknown; readonly fault: string }
  | { readonly kind: 'silence'; readonly fault: string };

/** The shape of envelope B, for want of a known one: the contract shows no answer but HTTP 200. */
function refusal(status: number, message: string, headers: OutgoingHttpHeaders = {}): Reaction {
  return { kind: 'answer', status, answer: { ErrorMessage: message, HasError: true }, headers };
}

function journalPart(reaction: Reaction): Pick<JournalEntry, 'status' | 'answer' | 'fault'> {
  return {
    ...('status' in reaction && { status: reaction.status }),
    ...(reaction.kind === 'empty' && { status: 200 }),
    ...('answer' in reaction && { answer: reaction.answer }),
    ...(reaction.fault !== undefined && { fault: reaction.fault }),
  };
}

const gatewayPage =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

function perform(reaction: Reaction, response: ServerResponse): void {
  switch (reaction.kind) {
    case 'answer':
      respond(response, jsonAnswer(reaction.status, reaction.answer, reaction.headers));
      break;
    case 'truncated':
      respondTruncated(response, jsonAnswer(reaction.status, reaction.answer));
      break;
    case 'empty':
      respond(response, { status: 200, body: '' });
      break;
    case 'page':
      respond(response, {
        status: reaction.status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: gatewayPage,
      });
      break;
    case 'reset':
      resetConnection(response);
      break;
    case 'silence':
      break;
  }
}

/** The two ways to answer a call; each is used at most once. */
interface Choices {
  /** Executes the call and returns the program's answer. */
  execute(): unknown;
  /** Returns the operation's own report of an error, without executing the call. */
  fail(code: ErrorNumber): unknown;
}

const tooManyRequests = 103;

/** The reaction to a call with a fault. FaultKind lists which kinds execute the call. */
function applyFault(
  fault: Exclude<FaultKind, { kind: 'latency' }>,
  { execute, fail }: Choices,
): Reaction {
  const name = fault.kind;
  switch (fault.kind) {
    case 'http-429':
      return { ...refusal(429, 'Too many requests.', retryAfter(fault)), fault: name };
    case 'http-500':
      return { ...refusal(500, 'Internal error.'), fault: name };
    case 'http-503':
      return { ...refusal(503, 'Not available.', retryAfter(fault)), fault: name };
    case 'code-103':
      return { kind: 'answer', status: 200, answer: fail(tooManyRequests), fault: name };
    case 'business-error':
      return { kind: 'answer', status: 200, answer: fail(fault.code), fault: name };
    case 'not-json':
      return { kind: 'page', status: fault.status ?? 502, fault: name };
    case 'truncated':
      return { kind: 'truncated', status: 200, answer: execute(), fault: name };
    case 'empty':
      return { kind: 'empty', answer: execute(), fault: name };
    case 'reset-after':
      return { kind: 'reset', answer: execute(), fault: name };
    case 'reset-before':
    case 'outage':
      return { kind: 'reset', fault: name };
    case 'hang':
      return { kind: 'silence', fault: name };
  }
}

function retryAfter({
  retryAfterSeconds,
}: {
  readonly retryAfterSeconds?: number;
}): OutgoingHttpHeaders {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}
