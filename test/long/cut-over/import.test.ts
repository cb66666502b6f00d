import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/connector-command.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { type OutsideCall, openLine } from '../../support/outside-line.ts';

// What a file says and what becomes of its rows: test/integration/operate/import-balances.test.ts, and of each state of a row
// test/integration/import/run-import.test.ts. Here the real process is killed.
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

function newFile(lines: readonly string[]): string {
  files += 1;
  const file = join(operated.folder, `balances-${files}.csv`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const pointsFile = (rows: readonly (readonly [Member, number])[]) =>
  newFile(['customer,points', ...rows.map(([{ id }, points]) => `${id},${points}`)]);

const lineOf = (file: string, words: string) =>
  `import balances ${file} --shop ${SHOP} --per-second 50 ${words}`;
const importing = (file: string, words: string) => operated.run(lineOf(file, words));

const held = ({ id }: Member) =>
  operated.loyalty.state().customers.find(({ OriginalId }) => OriginalId === id);
/** What was given beside the points of before. */
const given = (member: Member) => (held(member)?.points ?? 0) - BEFORE;
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
