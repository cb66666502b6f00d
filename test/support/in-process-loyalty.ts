import { defaultCatalog } from '../../local/loyalty-sandbox/catalog.ts';
import { loadContract } from '../../local/loyalty-sandbox/contract.ts';
import { createProgram } from '../../local/loyalty-sandbox/program/program.ts';
import { openTables } from '../../local/loyalty-sandbox/program/rows.ts';
import { type PartialSettings, readSettings } from '../../local/loyalty-sandbox/settings.ts';
import { Tables } from '../../local/sandbox-kit/tables.ts';
import { createLoyaltyClient } from '../../shared/loyalty/client.ts';
import type { OperationId } from '../../shared/loyalty/operation-id.ts';
import type { TransportAnswer, TransportFault } from '../../shared/loyalty/transport.ts';

const contract = loadContract();

export interface LoyaltyCall {
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
}

/** Comes between the client and the service: answer instead of it, or let it pass. */
type Interference = (
  call: LoyaltyCall,
  pass: () => TransportAnswer,
) => Promise<TransportAnswer | TransportFault> | TransportAnswer | TransportFault;

/** The real client and the sandbox's rules, without the network between them. */
export function openInProcessLoyalty(now: () => Date, settings: PartialSettings = {}) {
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
  const journal: (LoyaltyCall & { readonly answer: unknown })[] = [];
  const world: { interfere: Interference | undefined } = { interfere: undefined };

  const client = createLoyaltyClient({
    credentials: { token: 'token', key: 'key' },
    transport: {
      async send({ method, path, body }) {
        const call = routeOf(method, path, body);
        const pass = (): TransportAnswer => {
          const faults = contract.validateRequest(call.operation, call.body);
          const answer = program.answer({ ...call, faults });
          journal.push({ ...call, answer });
          return { kind: 'answer', status: 200, headers: {}, text: JSON.stringify(answer) };
        };
        return world.interfere ? world.interfere(call, pass) : pass();
      },
    },
  });
  return { client, journal, world, rows: openTables(tables) };
}

function routeOf(method: string, path: string, body: string | undefined): LoyaltyCall {
  const [place = '', query = ''] = path.split('?');
  const segments = place.split('/');
  for (const { operationId, method: known, path: template } of contract.operations) {
    const parts = template.split('/');
    if (known !== method || parts.length !== segments.length) continue;
    const found: Record<string, string> = {};
    const fits = parts.every((part, index) => {
      const name = /^\{(.+)\}$/.exec(part)?.[1];
      if (name) found[name] = decodeURIComponent(segments[index] ?? '');
      return name !== undefined || part === segments[index];
    });
    if (fits) {
      return {
        operation: operationId,
        path: found,
        body: body && JSON.parse(body),
        query: Object.fromEntries(new URLSearchParams(query)),
      };
    }
  }
  throw new Error(`no operation at ${method} ${path}`);
}
