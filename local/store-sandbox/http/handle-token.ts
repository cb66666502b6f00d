import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJsonBody, readBody } from '../../sandbox-kit/http/requests.ts';
import { jsonAnswer, resetConnection, respond } from '../../sandbox-kit/http/server.ts';
import type { StoreService } from '../service.ts';

/** The client-credentials grant: `client_id`, `client_secret`, `grant_type`, as JSON or as a form. */
export async function handleToken(
  service: StoreService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const { faults, journal, tokens, parts, world } = service;
  const note = (outcome: { status?: number; fault?: string }) =>
    journal.add({
      at: world.now().toISOString(),
      kind: 'token',
      operation: 'token',
      ...outcome,
      durationMs: 0,
    });
  const { fault } = faults.faultsOf(['token']);
  if (faults.isOutage() || fault?.kind === 'reset-before') {
    note({ fault: fault?.kind ?? 'outage' });
    return resetConnection(response);
  }
  const answer = (status: number, value: unknown, headers = {}) => {
    note({ status, ...(fault && { fault: fault.kind }) });
    respond(response, jsonAnswer(status, value, headers));
  };
  if (fault) {
    const status =
      { 'http-429': 429, 'http-503': 503, unauthorized: 401 }[fault.kind as string] ?? 500;
    return answer(status, { errors: 'A simulated fault.' });
  }
  if (request.method !== 'POST')
    return answer(405, { errors: 'This path accepts POST.' }, { allow: 'POST' });
  const fields = body.kind === 'whole' ? readFields(request, body.bytes) : undefined;
  if (fields?.get('grant_type') !== 'client_credentials') {
    return answer(400, {
      error: 'unsupported_grant_type',
      error_description: 'Only client_credentials is supported.',
    });
  }
  const issued = tokens.issue(fields.get('client_id') ?? '', fields.get('client_secret') ?? '');
  if (!issued) {
    return answer(400, {
      error: 'application_cannot_be_found',
      error_description: 'Client id or secret is wrong.',
    });
  }
  answer(200, {
    access_token: issued.token,
    scope: parts.settings.scopes.join(','),
    expires_in: issued.expiresIn,
  });
}

function readFields({ headers }: IncomingMessage, bytes: Buffer): ReadonlyMap<string, string> {
  if (/^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')) {
    return new Map(new URLSearchParams(bytes.toString('utf8')));
  }
  const json = parseJsonBody(bytes);
  const value = json.kind === 'json' ? json.value : undefined;
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(Object.entries(value).map(([name, text]) => [name, String(text)]));
}
