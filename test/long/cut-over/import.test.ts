import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../local/harness/sdk-clients.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { runCommand } from '../../support/connector-command.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { type OutsideCall, openLine } from '../../support/outside-line.ts';

const operated = useOperatedConnector();

/** What everyone has before: a second removal of imported points would show. */
const BEFORE = 500;
let members = 0;
let files = 0;

interface Member {
  readonly id: string;
  readonly email: string;
}

/** A customer of the store whom the loyalty service knows, with points of an order. */
function newMember(): Member {
  members += 1;
  const email = `Robin.Walker${members}@Example.com`;
  const person = { firstName: 'Robin', lastName: `Walker${members}`, email };
  const { id } = operated.store.actions.createCustomer(person);
  const at = new Date().toISOString();
  const order = {
    ...{ OriginalId: `before-${members}`, OrderPlacementDate: at, OrderCompletedDate: at },
    ...{ IsCompleted: true, OrderTotal: BEFORE },
    Customer: { OriginalId: id, Name: `Robin Walker${members}`, Email: email },
  };
  const answer = operated.loyalty.integrate({ operation: 'sendOrder', body: order });
  expect(answer).toMatchObject({ HasError: false });
  operated.confidential.addSecret(email);
  return { id, email };
}

/** A customer whom only the store knows. */
function newCustomer(): Member {
  members += 1;
  const email = `new.comer${members}@example.com`;
  const person = { firstName: 'New', lastName: `Comer${members}`, email };
  operated.confidential.addSecret(email);
  return { id: operated.store.actions.createCustomer(person).id, email };
}

const newMembers = (count: number) => Array.from({ length: count }, newMember);

function newFile(lines: readonly string[], end = '\n'): string {
  files += 1;
  const file = join(operated.folder, `balances-${files}.csv`);
  writeFileSync(file, lines.join(end) + end);
  return file;
}

const pointsFile = (rows: readonly (readonly [Member, number])[]) =>
  newFile(['customer,points', ...rows.map(([{ id }, points]) => `${id},${points}`)]);

const lineOf = (file: string, words = '') =>
  `import balances ${file} --shop ${SHOP} --per-second 50 ${words}`.trim();
const importing = async (file: string, words = '') => {
  const { code, stdout, stderr } = await operated.run(lineOf(file, words));
  return { code, text: `${stdout}\n${stderr}` };
};

const held = ({ id }: Member) =>
  operated.loyalty.state().customers.find(({ OriginalId }) => OriginalId === id);
/** What was given beside the points of before. */
const given = (member: Member) => (held(member)?.points ?? 0) - BEFORE;
const changes = () =>
  operated.loyalty.journal
    .entries()
    .filter(({ operation = '' }) => ['changePoints', 'changeCashback'].includes(operation));

/** Spends points as the shop's till would, beside us. */
async function spend({ id }: Member, points: number): Promise<void> {
  const { token, key } = operated.loyalty.credentials;
  const answer = await fetch(`${operated.loyalty.address}/v1/pvt/Customer/${id}/points`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`,
    },
    body: JSON.stringify({
      ...{ Points: -points, OperationType: 1, Reason: 'spent', ChangeKey: `spent-${id}` },
    }),
  });
  expect(await answer.json()).toMatchObject({ HasError: false });
}

async function ledgerText(): Promise<string> {
  const client = createDynamoDbClient({
    budget: { connectMs: 10_000, attemptMs: 10_000, attempts: 2 },
    emulator: { endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '' },
  });
  const { Items } = await client.scan({ TableName: 'ledger', ConsistentRead: true });
  client.destroy();
  return JSON.stringify(Items);
}

afterEach(() => {
  operated.loyalty.faults.clear();
  operated.loyalty.journal.clear();
});

describe('import balances checks the whole file first', () => {
  it('and says all faults at once, by line, before anything is sent', async () => {
    const [a, b, c, d, e, f, g, h] = newMembers(8);
    const file = newFile([
      'customer,points,reason',
      `${a?.id},100,Old program`,
      '999999999,50,',
      `${a?.id},10,`,
      `${b?.id},12.5,`,
      `${c?.id},-3,`,
      `${d?.id},0,`,
      `${e?.id},many,`,
      ',20,',
      `${f?.id},99999999999999,`,
      `${g?.id},70,Old program`,
      `${h?.id},5,Old program,and more`,
    ]);
    const { code, text } = await importing(file, '--yes');
    expect([1, 2]).toContain(code);
    for (const line of [3, 4, 5, 6, 7, 8, 9, 10, 12]) {
      expect.soft(text, `line ${line}`).toMatch(new RegExp(`\\b${line}\\b`));
    }
    expect(changes()).toEqual([]);
  });

  it('and never prints an e-mail address', async () => {
    const [a, b] = newMembers(2);
    const unknown = 'nobody.known@example.com';
    operated.confidential.addSecret(unknown);
    const file = newFile([
      'email,points',
      `${a?.email},100`,
      `${unknown},50`,
      `${a?.email.toUpperCase()},10`,
      `${b?.email},-1`,
    ]);
    // `run` throws where one is told.
    const { code, text } = await importing(file, '--yes');
    expect([1, 2]).toContain(code);
    for (const line of [3, 4, 5]) expect.soft(text).toMatch(new RegExp(`\\b${line}\\b`));
    expect(changes()).toEqual([]);
  });

  it.each([
    // Not by its name: a file without a header has a customer there.
    ['an unknown column', 'customer,points,colour', /column 3/],
    ['no amount', 'customer,reason', /points/],
    ['no customer', 'points,reason', /customer/],
    ['both kinds of amount', 'customer,points,cashback', /cashback/],
  ])('and refuses a header with %s', async (_, header, says) => {
    const [a] = newMembers(1);
    const cells = header.split(',').map((name) => (name === 'customer' ? a?.id : '5'));
    const { code, text } = await importing(newFile([header, cells.join(',')]), '--yes');
    expect([1, 2]).toContain(code);
    expect(text).toMatch(says);
    expect(changes()).toEqual([]);
  });

  it('and refuses a file that is missing or has no rows', async () => {
    expect([1, 2]).toContain((await importing('no-such-file.csv', '--yes')).code);
    expect([1, 2]).toContain((await importing(newFile(['customer,points']), '--yes')).code);
    expect(changes()).toEqual([]);
  });

  it('and only that with --check, and without a yes', async () => {
    const [a, b, c] = newMembers(3);
    if (!a || !b || !c) throw new Error('three members');
    const file = pointsFile([
      [a, 1_100],
      [b, 2_200],
      [c, 3_307],
    ]);
    expect((await importing(file, '--check')).code).toBe(0);
    const { text } = await importing(file);
    const preview = text.replaceAll(/(?<=\d),(?=\d{3})/g, '');
    // Rows, the total, and the largest.
    for (const number of [3, 6_607, 3_307]) {
      expect.soft(preview).toMatch(new RegExp(`\\b${number}\\b`));
    }
    expect(changes()).toEqual([]);
  });
});

describe('import balances gives', () => {
  it('points by customer id, and again nothing', async () => {
    const rows = newMembers(3).map((member, index) => [member, 100 * (index + 1)] as const);
    const file = pointsFile(rows);
    const first = await importing(file, '--yes');
    expect(first).toMatchObject({ code: 0 });
    expect(first.text).toMatch(/\b600\b/);
    expect(rows.map(([member]) => given(member))).toEqual([100, 200, 300]);
    const bodies = changes().map(({ body }) => body as { readonly ChangeKey: string });
    expect(new Set(bodies.map(({ ChangeKey }) => ChangeKey)).size).toBe(3);
    for (const { ChangeKey } of bodies) expect(ChangeKey).toMatch(/^import:.+:\d+$/);

    expect((await importing(file, '--yes')).code).toBe(0);
    expect(rows.map(([member]) => given(member))).toEqual([100, 200, 300]);
  });

  it('points by e-mail address, in any case, from a file of a spreadsheet', async () => {
    const [a, b] = newMembers(2);
    if (!a || !b) throw new Error('two members');
    const rows = [`"${a.email.toLowerCase()}","100","moved, with thanks"`, `${b.email},250,`];
    const file = newFile(['\uFEFFemail,points,reason', ...rows], '\r\n');
    const { code } = await importing(file, '--yes');
    expect(code).toBe(0);
    expect([given(a), given(b)]).toEqual([100, 250]);
    const keys = changes().map(({ body }) => (body as { readonly ChangeKey: string }).ChangeKey);
    expect(keys.map((key) => key.split(':').at(-1)).toSorted()).toEqual([a.id, b.id].toSorted());
    const kept = (await ledgerText()).toLowerCase();
    for (const { email } of [a, b]) expect(kept).not.toContain(email.toLowerCase());
    expect(kept).not.toContain('moved, with thanks');
  });

  it('to a customer whom only the store knows, who is created first', async () => {
    const [known] = newMembers(1);
    if (!known) throw new Error('a member');
    const customer = newCustomer();
    const file = pointsFile([
      [known, 10],
      [customer, 20],
    ]);
    const preview = await importing(file);
    expect(preview.text).toMatch(/create +1 customer/);
    expect(held(customer)).toBeUndefined();
    expect((await importing(file, '--yes')).code).toBe(0);
    expect(held(customer)).toMatchObject({ Email: customer.email, points: 20 });
    expect(given(known)).toBe(10);
  });

  it('cashback, with at most two decimals', async () => {
    const [a, b] = newMembers(2);
    if (!a || !b) throw new Error('two members');
    const before = held(a)?.cashback ?? 0;
    const wrong = newFile(['customer,cashback', `${a.id},12.34`, `${b.id},1.005`]);
    expect([1, 2]).toContain((await importing(wrong, '--yes')).code);
    expect(changes()).toEqual([]);
    const right = newFile(['customer,cashback', `${a.id},12.34`]);
    expect((await importing(right, '--yes')).code).toBe(0);
    expect((held(a)?.cashback ?? 0) - before).toBeCloseTo(12.34, 2);
  });

  it.each([
    ['is executed and not answered', { kind: 'reset-after' }],
    ['comes too soon', { kind: 'http-429', retryAfterSeconds: 1 }],
  ] as const)('each row once, when a call %s', async (_, fault) => {
    const rows = newMembers(3).map((member) => [member, 70] as const);
    const file = pointsFile(rows);
    operated.loyalty.faults.add({ ...fault, operation: 'changePoints', after: 1, count: 1 });
    await importing(file, '--yes');
    const { code } = await importing(file, '--yes');
    expect(code).toBe(0);
    expect(rows.map(([member]) => given(member))).toEqual([70, 70, 70]);
  });

  it('what it can, and lists the rows that the service refuses', async () => {
    const rows = newMembers(3).map((member) => [member, 40] as const);
    const file = pointsFile(rows);
    operated.loyalty.faults.add({
      ...{ kind: 'business-error', code: 69, operation: 'changePoints', after: 1, count: 1 },
    });
    const { code, text } = await importing(file, '--yes');
    expect(code).toBe(1);
    expect(text).toMatch(/\b3\b/);
    expect(rows.map(([member]) => given(member)).toSorted()).toEqual([0, 40, 40]);
    // What was the reason is gone: the same command gives the rest.
    expect((await importing(file, '--yes')).code).toBe(0);
    expect(rows.map(([member]) => given(member))).toEqual([40, 40, 40]);
  });

  it('while the shop is observed, too: it is an operator’s command, and says so', async () => {
    const settings = join(operated.folder, 'observed.config.ts');
    const connector = join(PACKAGE_FOLDER, 'shared/config/connector-config.ts');
    writeFileSync(
      settings,
      `import { defineConnector } from ${JSON.stringify(connector)};
export default defineConnector({
  shops: [{ domain: '${SHOP}', mode: 'observe' }],
  loyalty: { address: 'https://loyalty.example.com' },
});
`,
    );
    const [a] = newMembers(1);
    if (!a) throw new Error('a member');
    const file = pointsFile([[a, 15]]);
    await operated.describe({ settings });
    const preview = await importing(file);
    const { code } = await importing(file, '--yes');
    await operated.describe();
    expect(preview.text).toMatch(/observ/i);
    expect(code).toBe(0);
    expect(given(a)).toBe(15);
  });
});

describe('import balances --undo', () => {
  it('takes back what was given, once, and lists what was spent', async () => {
    const [a, b, c] = newMembers(3);
    if (!a || !b || !c) throw new Error('three members');
    const file = pointsFile([
      [a, 100],
      [b, 200],
      [c, 300],
    ]);
    await importing(file, '--yes');
    await spend(c, BEFORE + 50);
    const { code, text } = await importing(file, '--undo --yes');
    expect(code).toBe(1);
    expect(text).toMatch(/\b4\b/);
    expect([given(a), given(b), given(c)]).toEqual([0, 0, 250 - BEFORE]);
    await importing(file, '--undo --yes');
    expect([given(a), given(b), given(c)]).toEqual([0, 0, 250 - BEFORE]);
  });

  it('takes back only rows that were given', async () => {
    const [a, b] = newMembers(2);
    if (!a || !b) throw new Error('two members');
    await importing(pointsFile([[a, 100]]), '--name spring --yes');
    const both = pointsFile([
      [a, 100],
      [b, 100],
    ]);
    await importing(both, '--name spring --undo --yes');
    expect([given(a), given(b)]).toEqual([0, 0]);
  });

  it('takes back nothing of a file that was never imported, and asks first', async () => {
    const [a] = newMembers(1);
    if (!a) throw new Error('a member');
    const file = pointsFile([[a, 100]]);
    await importing(file, '--undo --yes');
    expect(given(a)).toBe(0);
    await importing(file, '--yes');
    await importing(file, '--undo');
    expect(given(a)).toBe(100);
  });
});

describe('import balances, killed', () => {
  const target = (call: Pick<OutsideCall, 'service' | 'name'>) => `${call.service} ${call.name}`;

  /** Runs the real command, and kills it when this call was executed and before it is answered. */
  async function runUntil(line: string, at: number): Promise<readonly OutsideCall[]> {
    const aws = operated.gateway.endpoint;
    const outside = await openLine(
      {
        ...{ ledger: aws, queue: aws, secrets: aws },
        ...{ loyalty: operated.loyalty.address, store: operated.store.address },
      },
      ({ index }) => (index === at ? 'killed-after' : 'pass'),
    );
    await operated.describe({
      endpoint: outside.addresses.ledger,
      storeAddress: outside.addresses.store,
      loyaltyAddress: outside.addresses.loyalty,
    });
    try {
      const { folder } = operated;
      const { code, stdout, stderr } = await runCommand(line.split(' '), {
        ...{ folder, death: outside.death },
      });
      expect(code).toBe(at < outside.calls.length ? null : 0);
      expect(operated.confidential.disclosedIn([stdout, stderr])).toEqual([]);
      return outside.calls;
    } finally {
      await operated.describe();
      await outside.close();
    }
  }

  it('at any call, gives each row exactly once when it is run again', async () => {
    for (let at = 0; ; at += 1) {
      const customer = newCustomer();
      const people = [...newMembers(2), customer];
      const rows = people.map((member, index) => [member, 10 * (index + 1)] as const);
      const email = newFile(['email,points', ...rows.map(([{ email: of }, n]) => `${of},${n}`)]);
      const calls = await runUntil(lineOf(email, '--yes'), at);
      const isDone = calls.length <= at;
      if (!isDone) expect((await importing(email, '--yes')).code).toBe(0);
      expect(
        [...rows.slice(0, 2).map(([member]) => given(member)), held(customer)?.points],
        `killed at call ${at}: ${target(calls[at] ?? { service: 'ledger', name: 'none' })}`,
      ).toEqual([10, 20, 30]);
      if (!isDone) continue;
      expect(calls.map(target)).toContainEqual(expect.stringMatching(/^loyalty .*upsert/i));
      break;
    }
  });

  it('at any call of an undo, takes each row back exactly once when it is run again', async () => {
    for (let at = 0; ; at += 1) {
      const rows = newMembers(2).map((member) => [member, 30] as const);
      const file = pointsFile(rows);
      expect((await importing(file, '--yes')).code).toBe(0);
      const calls = await runUntil(lineOf(file, '--undo --yes'), at);
      const isDone = calls.length <= at;
      if (!isDone) expect((await importing(file, '--undo --yes')).code).toBe(0);
      expect(
        rows.map(([member]) => given(member)),
        `killed at call ${at}: ${target(calls[at] ?? { service: 'ledger', name: 'none' })}`,
      ).toEqual([0, 0]);
      if (isDone) break;
    }
  });
});
