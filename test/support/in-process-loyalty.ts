import { defaultCatalog } from '../../local/loyalty-sandbox/catalog.ts';
import { createRouter, loadContract } from '../../local/loyalty-sandbox/contract.ts';
import { createProgram } from '../../local/loyalty-sandbox/program/program.ts';
import { openTables } from '../../local/loyalty-sandbox/program/rows.ts';
import { type PartialSettings, readSettings } from '../../local/loyalty-sandbox/settings.ts';
import { splitTarget } from '../../local/sandbox-kit/http/requests.ts';
import { Tables } from '../../local/sandbox-kit/tables.ts';
import { createLoyaltyClient, type LoyaltyClientSettings } from '../../shared/loyalty/client.ts';
import type { OperationId } from '../../shared/loyalty/operations.ts';
import type { CallAnswer, CallFailure, CallSender } from '../../shared/loyalty/result.ts';

const contract = loadContract();

export interface LoyaltyCall {
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
}

/** Intercepts a request: returns another answer, or passes it to the service. */
type Interference = (
  call: LoyaltyCall,
  pass: () => CallAnswer,
) => Promise<CallAnswer | CallFailure> | CallAnswer | CallFailure;

/** The rules of the loyalty sandbox without a server. */
export function openLoyaltyProgram(now: () => Date, settings: PartialSettings = {}) {
  const reading = readSettings(settings);
  if (reading.kind === 'faulty') throw new Error(reading.faults.join('; '));
  const tables = new Tables();
  const program = createProgram({
    tables,
    settings: reading.settings,
    catalog: defaultCatalog,
    now,
    random: () => 0.5,
  });
  return {
    rows: openTables(tables),
    answer(call: LoyaltyCall): unknown {
      const faults = contract.validateRequest(call.operation, call.body);
      const answer = program.answer({ ...call, faults });
      // There is no data file here.
      tables.takeChanges();
      return answer;
    },
  };
}

/** The real client and the rules of the loyalty sandbox, without a network. */
export function openInProcessLoyalty(now: () => Date, settings: PartialSettings = {}) {
  const program = openLoyaltyProgram(now, settings);
  const journal: (LoyaltyCall & { readonly answer: unknown })[] = [];
  const world: { interfere: Interference | undefined } = { interfere: undefined };

  const http: CallSender = {
    async send({ method, path, body }) {
      const call = routeOf(method, path, body);
      const pass = (): CallAnswer => {
        const answer = program.answer(call);
        journal.push({ ...call, answer });
        return { kind: 'answer', status: 200, headers: {}, text: JSON.stringify(answer) };
      };
      return world.interfere ? world.interfere(call, pass) : pass();
    },
  };
  const connect = (limits: Pick<LoyaltyClientSettings, 'takeTurn' | 'readOnly'> = {}) =>
    createLoyaltyClient({ ...limits, credentials: { token: 'token', key: 'key' }, http });
  return { client: connect(), connect, journal, world, rows: program.rows };
}

const route = createRouter(contract.operations);

export function routeOf(method: string, path: string, body: string | undefined): LoyaltyCall {
  const { rawPath, query } = splitTarget(path);
  const found = route(method, rawPath);
  if (found.kind !== 'operation') throw new Error(`no operation at ${method} ${path}`);
  const { operation, path: parameters } = found;
  return { operation, path: parameters, body: body && JSON.parse(body), query };
}
