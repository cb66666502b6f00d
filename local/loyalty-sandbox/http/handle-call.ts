import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../../shared/loyalty/client.ts';
import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import type { CallFaults } from '../../sandbox-kit/faults.ts';
import { type Reaction, reactTo, reply, reset } from '../../sandbox-kit/http/reaction.ts';
import {
  type Body,
  isLoopbackHost,
  type JsonBody,
  largestBodyBytes,
  parseJsonBody,
  readBody,
  splitTarget,
} from '../../sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import type { Call, Fault } from '../call.ts';
import type { Route } from '../contract.ts';
import type { FaultRule } from '../fault-rule.ts';
import { answerBusinessError } from '../program/program.ts';
import type { Service } from '../service.ts';

type CallFault = NonNullable<CallFaults<FaultRule>['fault']>;
type Refusal = [status: number, message: string, headers?: OutgoingHttpHeaders];

const tooManyRequests = 103;
const wrongCredentials = 'The credentials are missing or wrong.';

/** One call of the loyalty API: read, admit, decide, record, react. */
export async function handleCall(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const { settings, now } = service.parts;
  const arrival = { at: now().toISOString(), method, path: url };
  const began = performance.now();
  const { rawPath, query } = splitTarget(url);
  const route = service.route(method, rawPath);
  const body = await readBody(request);
  if (stopped.aborted) return;
  const json = body.kind === 'whole' ? parseJsonBody(body.bytes) : ({ kind: 'none' } as const);

  // Recorded even if a fault keeps it from the client.
  let answer: unknown;
  const say = (status: number, value: unknown, more?: OutgoingHttpHeaders): Answer => {
    answer = value;
    return jsonAnswer(status, value, more);
  };
  // The shape of envelope B, for want of a known one: the contract shows no answer but HTTP 200.
  const refuse = (...[status, message, more]: Refusal): Answer =>
    say(status, { ErrorMessage: message, HasError: true }, more);
  const conclude = (reaction: Reaction, fault?: string) => {
    service.record({
      ...arrival,
      ...(route.kind === 'operation' && { operation: route.operation }),
      ...journaledBody(body, json),
      ...(reaction.status !== undefined && { status: reaction.status }),
      ...(answer !== undefined && { answer }),
      ...(fault !== undefined && { fault }),
      durationMs: Math.round((performance.now() - began) * 1000) / 1000,
    });
    reaction.perform(response);
  };

  if (body.kind === 'broken-off') return conclude(reset, 'broken-off');
  if (service.faults.isOutage()) return conclude(reset, 'outage');
  const refused = (...refusal: Refusal) => conclude(reply(refuse(...refusal)));
  if (!isLoopbackHost(headers.host)) return refused(403, 'The Host header names another machine.');
  if (route.kind !== 'operation') return refused(...refusalOf(route));
  if (!isAuthorized(headers.authorization, settings.credentials)) {
    const challenge = { 'www-authenticate': 'Basic realm="loyalty sandbox", charset="UTF-8"' };
    // The status is not shown: 401 is what Basic authentication means.
    return refused(401, wrongCredentials, challenge);
  }
  if (body.kind === 'too-large') {
    return refused(413, `The body is larger than ${largestBodyBytes} bytes.`);
  }
  const { operation, path } = route;
  const execute = () =>
    say(200, service.answer({ operation, path, query, ...wellFormed(service, operation, json) }));
  const fail = (code: ErrorNumber) =>
    reply(say(200, answerBusinessError(settings, operation, code)));
  const react = (fault: CallFault): Reaction => {
    if (fault.kind === 'code-103') return fail(tooManyRequests);
    if (fault.kind === 'http-401') return reply(refuse(401, wrongCredentials));
    if (fault.kind === 'business-error') return fail(fault.code);
    return reactTo(fault, execute, refuse);
  };
  const retryAfterSeconds = waitFor(service);
  if (retryAfterSeconds !== undefined) {
    return conclude(react({ kind: settings.rateLimit.answer, retryAfterSeconds }), 'rate-limit');
  }
  const { latencyMs, fault } = service.faults.faultsOf([operation]);
  if (latencyMs > 0) {
    const slept = await sleep(latencyMs, true, { signal: stopped }).catch(() => false);
    if (!slept) return;
  }
  let reaction: Reaction;
  try {
    reaction = fault ? react(fault) : reply(execute());
  } catch (error) {
    console.error(`The sandbox has a bug: ${operation} threw.`, error);
    return conclude(reply(refuse(500, 'The sandbox has a bug: see its output.')), 'crash');
  }
  conclude(reaction, fault?.kind);
}

/** Undefined when the call may pass; else the seconds after which the next one may. */
function waitFor({ rateLimit, parts: { settings, now } }: Service): number | undefined {
  const { perSecond } = settings.rateLimit;
  if (perSecond === 0) return undefined;
  const missing = 1 - rateLimit.available(now().getTime());
  if (missing > 0) return Math.ceil(missing / perSecond);
  rateLimit.take(1);
  return undefined;
}

/** Why a request is no call of an operation at all. */
function refusalOf(route: Exclude<Route, { kind: 'operation' }>): Refusal {
  switch (route.kind) {
    case 'unknown-path':
      return [404, 'No operation has this path.'];
    case 'bad-escape':
      return [400, 'The path has a percent sign that begins no valid UTF-8 escape.'];
    case 'wrong-method': {
      const allow = route.allowed.join(', ');
      return [405, `This path takes ${allow}.`, { allow }];
    }
  }
}

function isAuthorized(authorization: string | undefined, { token, key }: Credentials): boolean {
  const [, encoded = ''] = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  return Buffer.from(encoded, 'base64').equals(Buffer.from(`${token}:${key}`));
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
