import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CatalogReward, defaultCatalog } from '../../../local/loyalty-sandbox/catalog.ts';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { readAnswer } from '../../../shared/loyalty/client.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts';
import { contract, startSandbox } from './start-sandbox.ts';

/** The table of documented fields, as it stands in test/fixtures/documented-answers.yaml. */
interface Table {
  readonly envelopes: Readonly<Record<string, Shape>>;
  readonly operations: Readonly<Record<string, readonly [envelope: string, payload: string]>>;
  readonly event: string;
  readonly 'not-offered': Readonly<Record<string, string>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

type Shape = Readonly<Record<string, string | Exception>>;

interface Exception {
  readonly type: string;
  readonly shown?: false;
  readonly why?: string;
  readonly inferred?: string;
}

interface DocumentedField {
  readonly type: string;
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** Why the sandbox shows no value for it. */
  readonly notShown: string | undefined;
  readonly isInferred: boolean;
}

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  truth: (value) => typeof value === 'boolean',
  date: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value),
  anything: () => true,
};

const table = parse(readFileSync('test/fixtures/documented-answers.yaml', 'utf8')) as Table;

const documentedOperations = Object.keys(table.operations);
const notOffered = Object.keys(table['not-offered']);
/** Of envelope A, which others move to. */
const envelopeFields = Object.keys(table.envelopes.A ?? {});

const isBare = (operation: string) =>
  ['none', 'list'].includes(table.operations[operation]?.[0] ?? '');

/** By path, as `Result.Customer.Id` or `Items[].Title`, with the fields inside of those that are not shown. */
function fieldsOf(operation: string): ReadonlyMap<string, DocumentedField> {
  const [envelope = '', payload = ''] = table.operations[operation] ?? [];
  const around = table.envelopes[envelope];
  if (!around) throw new Error(`${operation} has no envelope`);
  if (envelope === 'none') return expand(shapeNamed(payload));
  const place = envelope === 'C' || envelope === 'list' ? 'Items' : 'Result';
  return expand({ ...around, [place]: `${payload} or null` });
}

const eventFields = (): ReadonlyMap<string, DocumentedField> => expand(shapeNamed(table.event));

function shapeNamed(name: string): Shape {
  const shape = table.shapes[name];
  if (!shape) throw new Error(`there is no shape ${name}`);
  const { like, ...own } = shape;
  return typeof like === 'string' ? { ...shapeNamed(like), ...own } : shape;
}

function expand(shape: Shape, at = ''): Map<string, DocumentedField> {
  const fields = new Map<string, DocumentedField>();
  for (const [name, given] of Object.entries(shape)) {
    const { type, shown, why, inferred } =
      typeof given === 'string' ? ({ type: given } as Exception) : given;
    if (shown === false && !why) throw new Error(`${at}${name} is not shown without a reason`);
    const [, list, base = '', nullable] =
      /^(list of )?([\w-]+)( or null)?(?: \(sample\))?$/.exec(type) ?? [];
    if (base === '') throw new Error(`${at}${name} has no type: ${type}`);
    const path = `${at}${name}`;
    fields.set(path, {
      type: base,
      isList: list !== undefined,
      isNullable: nullable !== undefined,
      notShown: shown === false ? why : undefined,
      isInferred: inferred !== undefined,
    });
    if (base in SCALARS) continue;
    const inside = `${path}${list ? '[]' : ''}.`;
    for (const [deeper, field] of expand(shapeNamed(base), inside)) {
      fields.set(deeper, {
        ...field,
        notShown: shown === false ? why : field.notShown,
        isInferred: inferred !== undefined || field.isInferred,
      });
    }
  }
  return fields;
}

/** What is wrong with these answers, taken together; empty: each field has a value in one of them at least. */
function compare(
  fields: ReadonlyMap<string, DocumentedField>,
  answers: readonly unknown[],
): readonly string[] {
  const seen = new Map<string, unknown[]>();
  for (const answer of answers) collect(answer, '', fields, seen);
  const problems: string[] = [];
  for (const [path, field] of fields) {
    const values = seen.get(path) ?? [];
    const isShown = values.some(hasValue);
    if (field.notShown && isShown) problems.push(`${path} is listed as not shown, and has a value`);
    if (!field.notShown && !isShown) problems.push(`${path} is documented, and missing`);
    if (!values.every((value) => isOfType(value, field)))
      problems.push(`${path} is no ${field.type}`);
  }
  const invented = [...seen.keys()].filter((path) => !fields.has(path));
  return [...problems, ...invented.map((path) => `${path} is invented`)];
}

function collect(
  value: unknown,
  at: string,
  fields: ReadonlyMap<string, DocumentedField>,
  seen: Map<string, unknown[]>,
): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, `${at}[]`, fields, seen);
  } else if (typeof value === 'object' && value !== null) {
    if (fields.get(at)?.type === 'anything') return;
    for (const [name, member] of Object.entries(value)) {
      const path = at === '' ? name : `${at}.${name}`;
      seen.set(path, [...(seen.get(path) ?? []), member]);
      collect(member, path, fields, seen);
    }
  }
}

const hasValue = (value: unknown) =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

function isOfType(
  value: unknown,
  { type, isList, isNullable, notShown }: DocumentedField,
): boolean {
  if (value === null) return isNullable || notShown !== undefined;
  const items = isList ? value : [value];
  const isScalar = SCALARS[type] ?? ((item: unknown) => typeof item === 'object' && item !== null);
  return Array.isArray(items) && items.every(isScalar);
}

/** It has all that a reward can have. */
const full: CatalogReward = {
  ...{ id: 11, title: 'This year', description: 'For early customers.', kind: 'fixed-value' },
  ...{ value: 4, points: 20, isActive: true, minimalValue: 10, tierIds: [1, 2, 3] },
  valid: { from: '2020-01-01T00:00:00Z', until: '2099-12-31T23:59:59Z' },
  ...{ usesPerCustomer: 9, usesInAll: 99, codePrefix: 'YEAR', couponValidDays: 30 },
};

let receiver: ScriptedServer;
let sandbox: LoyaltySandbox;
/** What was received, and what the client makes of it, by operation. */
const received = new Map<string, Record<string, unknown>[]>();
const results = new Map<string, ReturnType<typeof readAnswer>[]>();

beforeAll(async () => {
  receiver = await startScriptedServer();
  sandbox = await startSandbox({
    // Points are close to their expiry from the beginning.
    settings: { challenge: 'asked', pointsValidDays: 20 },
    catalog: { ...defaultCatalog, rewards: [...defaultCatalog.rewards, full] },
    subscriptions: [{ name: 'all', address: `${receiver.url}/events` }],
  });
  await callEverything();
  await sandbox.events.settled();
});
afterAll(async () => {
  await sandbox.stop();
  await receiver.stop();
});

interface Asked {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the fields are those of the documentation.
async function ask(operation: string, { path = {}, query = {}, body }: Asked = {}): Promise<any> {
  const found = contract.operations.find(({ operationId }) => operationId === operation);
  if (!found) throw new Error(`the contract has no ${operation}`);
  const { token, key } = sandbox.credentials;
  const address = found.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(path[name] ?? '')),
  );
  const response = await fetch(`${sandbox.address}${address}?${new URLSearchParams(query)}`, {
    method: found.method,
    headers: {
      authorization: `Basic ${btoa(`${token}:${key}`)}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { status } = response;
  const text = await response.text();
  const answer = JSON.parse(text) as Record<string, unknown>;
  received.set(operation, [...(received.get(operation) ?? []), answer]);
  const result = readAnswer(
    operation as OperationId,
    { kind: 'answer', status, headers: Object.fromEntries(response.headers), text },
    { input: { path, body }, hidden: () => [token, key] },
    new Date(),
  );
  results.set(operation, [...(results.get(operation) ?? []), result]);
  return answer;
}

const EMAIL = 'robin.sample@example.com';
const customer = {
  ...{ OriginalId: 'c1', Name: 'Robin Sample', Email: EMAIL, Phone: '+55 11 5550 0100' },
  ...{ BirthdayDate: '1990-05-01T00:00:00Z', SignupDate: '2025-01-02T00:00:00Z' },
  ...{ Document: '12345678909', IsEnrolled: true },
};
const product = {
  ...{ OriginalId: 'p1', Title: 'Shirt', Url: 'https://shop.example.com/shirt' },
  ...{ ImageUrl: 'https://shop.example.com/shirt.png', IsActive: true, ProductPrice: 900 },
};
const at = '2026-10-05T09:00:00Z';
const order = (OriginalId: string, more: object = {}) => ({
  ...{ OriginalId, OrderPlacementDate: at, OrderCompletedDate: at, UpdatedDate: at },
  ...{ OrderStatus: 'sold', IsCompleted: true, IsCancelledOrReturned: false, OrderTotal: 900 },
  Customer: customer,
  Products: [product],
  Metadatas: [{ Name: 'till', Value: '4' }],
  ...{ Coupon: 'SUMMER', ExternalCoupon: 'PAPER-1' },
  Branch: { OriginalId: 'b1', Name: 'Harbour Street' },
  SalesPerson: { OriginalId: 's1', Name: 'Alex Sample' },
  ...more,
});
const open = { IsCompleted: false, OrderCompletedDate: null };
const ended = { IsCancelledOrReturned: true, OrderCancelledDate: '2026-10-06T09:00:00Z' };
const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'returned' };

/** Every operation, often enough that each field has a value once, and refused once where that has an envelope. */
async function callEverything(): Promise<void> {
  const path = { id: 'c1' };
  for (const id of ['o1', 'o2', 'o3']) await ask('sendOrder', { body: order(id) });
  const Customer = { ...customer, BirthdayDate: '1990-05-02T00:00:00Z' };
  await ask('sendOrder', { body: order('o4', { ...open, Customer }) });
  await ask('sendOrder', { body: order('o5', { ...open, ...ended }) });
  await ask('upsertCustomer', { body: { ...customer, BirthdayDate: '1990-05-02T00:00:00Z' } });
  await ask('upsertCustomer', { body: { OriginalId: 'c2', Document: '2' } });
  for (const operation of ['getCustomer', 'getCustomerPoints']) await ask(operation, { path });
  await ask('updateProduct', { path: { id: 'p1' }, body: product });
  await ask('calculateProductPoints', { body: [{ Id: 'p1', Price: 9 }] });
  await ask('calculateProductPoints', { body: [{ Id: 'p1', Price: 0 }] });

  const coupon = {
    ...{ OriginalId: 'd1', CouponCode: 'AUTUMN', CouponType: 1, CouponValue: 10, IsUsed: false },
    ...{ CreatedDate: at, ValidDateStart: at, ValidDateEnd: '2027-10-05T09:00:00Z' },
    CustomerId: 'c1',
  };
  await ask('createCoupon', { body: coupon });
  for (const operation of ['getCoupon', 'deactivateCoupon']) {
    await ask(operation, { path: { code: 'AUTUMN' } });
    await ask(operation, { path: { code: 'unknown' } });
  }

  const change = { OperationType: 0, Reason: 'Correction' };
  await ask('changeCashback', { path, body: { ...change, Value: 5, ChangeKey: 'k1' } });
  await ask('changePoints', { path, body: { ...change, Points: 5, ChangeKey: 'k2' } });
  await ask('listTiers', { body: { CustomerId: 'c1' } });
  await ask('listQuizzes');
  const answers = [
    { QuizQuestionId: 11, OptionIds: [101] },
    { QuizQuestionId: 12, OpenAnswer: 'Green' },
  ];
  await ask('answerQuiz', { query: { customerId: 'c1' }, body: answers });

  await ask('listRewardConfigurations', { query: { PageSize: '50' } });
  await ask('getRewardConfiguration', { path: { id: full.id } });
  await ask('redeemReward', { path: { id: full.id }, body: { CustomerId: 'c1' } });
  const purchase = { PurchaseValue: 60, DiscountValue: 0 };
  await ask('listAvailableRewards', { body: { CustomerId: EMAIL, ...purchase } });
  await ask('startChallenge', { path: { id: '2' }, body: { TransactionId: 't1' } });
  const started = await ask('startChallenge', { path, body: { TransactionId: 't1' } });
  for (const Code of ['none', started.Code]) {
    await ask('validateChallenge', { path, body: { TransactionId: 't1', Code } });
  }
  const redeem = (id: number, OriginalKey: string, more: object = {}) =>
    ask('redeemRewardByKey', {
      path: { id },
      body: { CustomerId: EMAIL, OriginalKey, Metadatas: [{ Name: 'till', Value: '4' }], ...more },
    });
  await redeem(9, 'r1');
  const { Result: forced } = await redeem(1, 'r2', { ForceGenerateCoupon: true });
  await redeem(3, 'r3');
  for (const OriginalKey of ['r1', 'r2', 'unknown']) {
    await ask('updateRewardMetadata', { body: { OriginalKey, Metadatas: [] } });
  }
  await ask('sendOrder', { body: order('o3', { Coupon: forced.ExternalCode }) });
  await ask('getOrder', { path: { orderId: 'o3' } });
  await ask('getOrder', { path: { orderId: 'o5' } });
  await ask('getOrder', { path: { orderId: 'o4' } });
  await ask('getRedeemedReward', { path: { id: forced.RewardId } });
  await ask('cancelRedemption', { path: { id: forced.RewardId } });
  await ask('cancelRedemptionByKey', { query: { OriginalKey: 'r3' } });

  for (const [operation, orderId] of [
    ['partiallyCancelOrder', 'o1'],
    ['partiallyCancelPosOrder', 'o2'],
  ] as const) {
    const refund = (body: object) => ask(operation, { path: { orderId }, body });
    const part = { ValueToRefund: 9, CancelKey: 'refund-1' };
    await refund(part);
    await refund(part);
    await refund({ ...part, CancelKey: 'refund-2', ValueToRefund: 9000 });
    const Products = [{ OriginalId: 'unknown', ValueToRefund: 9 }];
    await refund({ ...part, CancelKey: 'refund-3', Products });
    await ask(operation, { path: { orderId: 'unknown' }, body: part });
  }
  const completion = { OrderCompletedDate: at, OrderStatus: 'delivered' };
  await ask('completeOrder', { path: { orderId: 'o4' }, body: completion });
  await ask('cancelOrder', { path: { orderId: 'o4' }, body: cancellation });
  await ask('cancelPosOrder', { path: { orderId: 'o3' }, body: cancellation });
  await ask('listPointsHistory', { path, query: { PageSize: '50' } });
  await ask('listCustomersReport');
  await ask('listExpiringPoints');
  await ask('changeCustomerStatus', {
    path: { originalId: 'c2' },
    body: { IsEnabled: false, Reason: 'Asked for it' },
  });

  const unknown = { path: { id: '999', orderId: 'unknown', originalId: 'unknown' }, body: {} };
  const pages = { PageSize: '999', pageSize: '999' };
  for (const { operationId, method } of contract.operations.filter(
    ({ operationId }) => !isBare(operationId),
  )) {
    const answers = received.get(operationId) ?? [];
    if (answers.some(({ HasError }) => HasError)) continue;
    const { body, ...withoutBody } = unknown;
    await ask(operationId, {
      ...(method === 'GET' || method === 'DELETE' ? withoutBody : { ...withoutBody, body }),
      query: { ...pages, customerId: 'unknown', OriginalKey: 'unknown' },
    });
  }
}

describe('the sandbox', () => {
  it('has every documented operation that is not listed as left out', () => {
    const offered = contract.operations.map(({ operationId }) => operationId);
    expect(offered.toSorted()).toEqual(documentedOperations.toSorted());
    expect([...received.keys()].toSorted()).toEqual(documentedOperations.toSorted());
    const paths = contract.operations.map(({ method, path }) => `${method} ${path}`);
    expect(paths.filter((path) => notOffered.includes(path))).toEqual([]);
  });

  it.each(documentedOperations)(
    '%s answers with the documented fields, and with no others',
    (id) => {
      expect(compare(fieldsOf(id), received.get(id) ?? [])).toEqual([]);
    },
  );

  it.each(documentedOperations)('%s is answered so that the client knows a success', (id) => {
    const kinds = results.get(id)?.map(({ kind }) => kind) ?? [];
    expect(kinds).toContain('success');
    expect(kinds).not.toContain('transport-failure');
  });

  it('delivers events with the documented fields, and with no others', () => {
    const delivered = receiver.received.map(({ body }) => JSON.parse(body));
    expect(new Set(delivered.map(({ Topic }) => Topic)).size).toBe(3);
    expect(compare(eventFields(), delivered)).toEqual([]);
  });
});

describe('the contract', () => {
  it.each(documentedOperations)('declares the documented fields of %s, and no others', (id) => {
    const declared = declaredFields(id);
    const documented = fieldsOf(id);
    const missing = [...documented].filter(
      ([path, { isInferred }]) => !isInferred && !declared.has(path),
    );
    expect(missing.map(([path]) => path)).toEqual([]);
    // An operation may move to envelope A, and say HasError where it comes bare.
    const others = [...declared].filter(
      (path) => !documented.has(path) && !envelopeFields.includes(path),
    );
    expect(others).toEqual([]);
  });
});

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function declaredFields(operation: string): Set<string> {
  const document = parse(readFileSync('shared/loyalty/openapi.yaml', 'utf8'));
  const found = contract.operations.find(({ operationId }) => operationId === operation);
  const paths = new Set<string>();
  const walk = ({ $ref, allOf, anyOf, oneOf, properties, items }: Schema, place: string): void => {
    const name = $ref?.replace('#/components/schemas/', '');
    // How a bare object fails is not documented.
    if (name !== undefined && name !== 'Failure') walk(document.components.schemas[name], place);
    for (const part of [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])]) walk(part, place);
    if (items) walk(items, `${place}[]`);
    for (const [field, schema] of Object.entries(properties ?? {})) {
      const path = place === '' ? field : `${place}.${field}`;
      paths.add(path);
      walk(schema, path);
    }
  };
  const { responses } = document.paths[found?.path ?? ''][found?.method.toLowerCase() ?? ''];
  walk(responses['200'].content['application/json'].schema, '');
  return paths;
}
