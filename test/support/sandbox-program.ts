import { expect } from 'vitest';
import { type Catalog, defaultCatalog } from '../../local/loyalty-sandbox/catalog.ts';
import { loadContract } from '../../local/loyalty-sandbox/contract.ts';
import { createProgram } from '../../local/loyalty-sandbox/program/program.ts';
import { openTables } from '../../local/loyalty-sandbox/program/rows.ts';
import { type PartialSettings, readSettings } from '../../local/loyalty-sandbox/settings.ts';
import { Tables } from '../../local/sandbox-kit/tables.ts';
import type { components, operations } from '../../shared/loyalty/contract.gen.ts';
import { errorNames } from '../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../shared/loyalty/operations.ts';

export const contract = loadContract();

export type AnswerOf<Operation extends OperationId> =
  operations[Operation]['responses'][200]['content']['application/json'];

export interface Asked {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Sandbox = ReturnType<typeof openSandbox>;

/**
 * A program with empty tables. In every test, each answer and event is checked against the contract, and a
 * refused call must change nothing.
 */
export function openSandbox(
  given: { readonly settings?: PartialSettings; readonly catalog?: Partial<Catalog> } = {},
) {
  const reading = readSettings(given.settings);
  if (reading.kind === 'faulty') throw new Error(reading.faults.join('; '));
  const tables = new Tables();
  const clock = { now: new Date('2026-10-07T12:00:00Z') };
  let drawn = 0;
  const program = createProgram({
    tables,
    settings: reading.settings,
    catalog: { ...defaultCatalog, ...given.catalog },
    now: () => clock.now,
    random: () => (drawn++ % 97) / 97,
  });
  const rows = openTables(tables);
  const snapshot = () => JSON.stringify([...tables.all()]);

  /** Like the server: a call that breaks the contract comes with its faults. */
  function call<Operation extends OperationId>(
    operation: Operation,
    { path = {}, query = {}, body }: Asked = {},
  ): AnswerOf<Operation> {
    const faults = contract.validateRequest(operation, body);
    const before = snapshot();
    const eventsBefore = rows.events.size;
    const answer = program.answer({ operation, path, query, body, faults });
    expect(contract.validateAnswer(operation, JSON.parse(JSON.stringify(answer)))).toEqual([]);
    if (codeOf(answer) !== undefined) expect(snapshot()).toBe(before);
    for (const { payload } of [...rows.events.values()].slice(eventsBefore)) {
      expect(contract.validatePointEvent(JSON.parse(JSON.stringify(payload)))).toEqual([]);
    }
    return answer as AnswerOf<Operation>;
  }

  return {
    tables: rows,
    clock,
    snapshot,
    call,
    takeEvents() {
      const taken = [...rows.events.values()];
      for (const { id } of taken) rows.events.delete(id);
      return taken;
    },
  };
}

const codes = new Map<string, number>(
  Object.entries(errorNames).map(([code, name]) => [name, Number(code)]),
);

/** The error of an answer in any wrapper; undefined for a success. */
export function codeOf(answer: unknown): number | undefined {
  const { HasError, ErrorCode, ErrorMessages, ErrorDescriptions } = answer as {
    readonly HasError?: boolean;
    readonly ErrorCode?: number | null;
    readonly ErrorMessages?: readonly string[];
    readonly ErrorDescriptions?: readonly components['schemas']['ErrorDescription'][];
  };
  if (!HasError) return undefined;
  const named = codes.get(ErrorMessages?.[0]?.split(':')[0] ?? '');
  return ErrorCode ?? ErrorDescriptions?.[0]?.Description ?? named ?? Number.NaN;
}

export const EMAIL = 'robin.sample@example.com';

export function makeCustomer(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    OriginalId: 'c1',
    Name: 'Robin Sample',
    Email: EMAIL,
    IsEnrolled: true,
    ...changes,
  };
}

/** A completed order of 100, changed as asked. A change to undefined leaves the field out. */
function makeOrder(changes: Readonly<Record<string, unknown>> = {}) {
  const order: Record<string, unknown> = {
    OriginalId: 'o1',
    OrderPlacementDate: '2026-10-05T09:00:00Z',
    OrderCompletedDate: '2026-10-06T09:00:00Z',
    OrderStatus: 'fulfilled',
    IsCancelledOrReturned: false,
    IsCompleted: true,
    OrderTotal: 100,
    Customer: makeCustomer(),
    UpdatedDate: '2026-10-06T09:00:00Z',
    ...changes,
  };
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
}

/** A customer `c1` with this many points, and no events left over. */
export function openSandboxWithPoints(
  points: number,
  given: Parameters<typeof openSandbox>[0] = {},
) {
  const sandbox = openSandbox(given);
  sendOrder(sandbox, { OriginalId: 'funding', OrderTotal: points });
  sandbox.takeEvents();
  return sandbox;
}

/** Of the customer `c1`, as the service answers. */
export const pointsIn = (sandbox: Sandbox) =>
  sandbox.call('getCustomerPoints', { path: { id: 'c1' } }) as {
    readonly PointsBalance: number;
    readonly CashbackBalance: number;
    readonly PointsToExpire: readonly unknown[];
    readonly PointHistory: readonly { readonly IsCanceled: boolean }[];
  };

export const sendOrder = (sandbox: Sandbox, changes: Readonly<Record<string, unknown>> = {}) =>
  sandbox.call('sendOrder', { body: makeOrder(changes) });

/** Under the key `k`, unless the test says otherwise. */
export const redeemByKey = (sandbox: Sandbox, changes: object = {}, id = '2') =>
  sandbox.call('redeemRewardByKey', {
    path: { id },
    body: { CustomerId: EMAIL, OriginalKey: 'k', ...changes },
  });

export const takeTopics = (sandbox: Sandbox) =>
  sandbox.takeEvents().map(({ topic, payload }) => [topic, payload.Points]);

export function passDays({ clock }: Sandbox, days: number): void {
  clock.now = new Date(clock.now.getTime() + days * 86_400_000);
}

export function balanceOf(sandbox: Sandbox, customerId = 'c1') {
  const rows = [...sandbox.tables.points.values()].filter(
    (row) => row.customerId === customerId && !row.isCanceled,
  );
  return {
    points: rows.reduce((sum, row) => sum + row.pointsHundredths, 0) / 100,
    cashback: rows.reduce((sum, row) => sum + row.cashbackHundredths, 0) / 100,
  };
}
