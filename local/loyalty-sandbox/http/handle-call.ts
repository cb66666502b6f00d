import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import {
  type Body,
  type JsonBody,
  parseJsonBody,
  readBody,
  splitTarget,
} from '../../sandbox-kit/http/requests.ts';
import type { Call, Fault } from '../call.ts';
import type { Service } from '../service.ts';
import { admit } from './admit.ts';
import { applyFault, journalPart, perform, type Reaction, refusal } from './reaction.ts';

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
