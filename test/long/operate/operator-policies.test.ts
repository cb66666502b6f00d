import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DuplicateItemException, DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningStack } from '../../../local/stack/running-stack.ts';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { COMMAND_KINDS } from '../../../scripts/connector/ground/session/command-kinds.ts';
import { awsSettings } from '../../../scripts/connector/ground/session/deployment.ts';
import { readCaller } from '../../../scripts/connector/ground/session/read-caller.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { COMMAND_LINES } from '../../support/command-lines.ts';
import {
  type CommandRun,
  openWarmCommands,
  type WarmCommands,
} from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';

const settings = resolve('test/fixtures/own-key.config.ts');
const shop = 'example-store.myshopify.com';
const people = new Map<string, { readonly folder: string; readonly commands: WarmCommands }>();
let stack: LocalStack;

beforeAll(async () => {
  stack = await startLocalStack({ settings });
  const table = stack.outputs.LedgerTable ?? '';
  await leaveWork(createDynamoDbLedger({ client: stack.dynamoDb, table }));
});
afterAll(async () => {
  await stack.stop();
  for (const { folder, commands } of people.values()) {
    commands.stop();
    rmSync(folder, { recursive: true });
  }
});

/** What `dead-letters` and `redemptions close` are for. */
async function leaveWork(ledger: ReturnType<typeof createDynamoDbLedger>): Promise<void> {
  const at = '2026-02-01T00:00:00.000Z';
  const rejected = { at, outcome: 'rejected', version: 1, topic: 'orders/updated' };
  const key = { shop, kind: 'order', id: '1' } as const;
  await ledger.write(key, { version: 1, uncertain: false, outcomes: [rejected] }, undefined);
  const reason = letterReason({ at: new Date().toISOString() });
  const letters = [
    { event: letterEvent({ id: '1' }), reason },
    { event: letterEvent({ id: '2', deliveryId: 'delivery-2' }), reason },
  ];
  await parkLetters(stack.sqs, stack.outputs.OrdersDeadLetterQueueUrl ?? '', letters, {
    ...{ ledger, family: 'orders' },
  });
  await leaveStuckRedemption(ledger, { shop, customerId: '7012345' }, { at });
}

/** Runs commands with the policy of the template that this person has. */
function operateAs(person: keyof RunningStack['keys']) {
  const { commands } = people.get(person) ?? equip(person);
  const input = JSON.stringify(stack.loyalty.credentials);
  return (line: string): Promise<CommandRun> => commands.run(line.split(' '), input);
}

function equip(person: keyof RunningStack['keys']) {
  const folder = mkdtempSync(join(tmpdir(), 'operator-policies-'));
  const keys = { operator: stack.keys[person] };
  writeStateFile({ ...stack, keys }, { stage: 'prod', settings }, folder);
  const equipped = { folder, commands: openWarmCommands(folder) };
  people.set(person, equipped);
  return equipped;
}

const namesOf = (...kinds: readonly string[]) =>
  Object.keys(COMMAND_LINES).filter((name) => kinds.includes(COMMAND_KINDS[name] ?? ''));
const linesOf = (...kinds: readonly string[]) =>
  namesOf(...kinds).map((name) => COMMAND_LINES[name] ?? '');

const DENIED = /not allowed|AWS credentials may not/;

describe('a person who may only look', () => {
  it.each(linesOf('reads'))('runs %s', async (line) => {
    const { stdout, stderr } = await operateAs('readOnlyOperator')(line);
    expect(stderr).not.toContain('not allowed');
    expect(stdout + stderr).not.toContain('This error is unexpected');
  });

  it('reads of a dead letter what the list says', async () => {
    const { code, stdout } = await operateAs('readOnlyOperator')('dead-letters show 1');
    expect(stdout).toContain(letterReason({}).why);
    expect(code).toBe(1);
  });

  it('cannot hide a dead letter, for which receiving it is enough', async () => {
    const { keys, endpoint, outputs } = stack;
    const credentials = { ...keys.readOnlyOperator };
    const sqs = new SQS(awsSettings({ endpoint, region: 'us-east-1', credentials }));
    const QueueUrl = outputs.OrdersDeadLetterQueueUrl;
    const denied = /is not authorized to perform/;
    const hidden = sqs.receiveMessage({ QueueUrl, VisibilityTimeout: 43_200 });
    await expect(hidden).rejects.toThrow(denied);
    const longer = { QueueUrl, ReceiptHandle: 'any', VisibilityTimeout: 43_200 };
    await expect(sqs.changeMessageVisibility(longer)).rejects.toThrow(denied);
    sqs.destroy();
  });

  it('is not shown as a fault of the deployment', async () => {
    const { code, stdout } = await operateAs('readOnlyOperator')('doctor');
    expect(stdout).toContain('may not read secrets, so these were not checked');
    expect(stdout).not.toContain('FAIL');
    expect(code).toBe(4);
  });

  // Without the store, what `resend` would send is not known: it ends before it would change anything.
  const unread = linesOf('changes').filter((line) => line.startsWith('resend'));
  const asking = [...linesOf('asks'), ...unread];
  it.each(asking)('gets no secrets for %s, and is shown the policy', async (line) => {
    const { code, stderr } = await operateAs('readOnlyOperator')(line);
    expect(stderr).toMatch(DENIED);
    expect(stderr).toContain(stack.outputs.OperatorPolicy);
    expect(code).toBeGreaterThan(0);
  });

  // The shop is live already: `go-live` says so before it would change anything.
  const refused = linesOf('changes').filter((line) => !/^(?:go-live|resend)/.test(line));
  it.each(refused)('is refused %s, and is shown the policy', async (line) => {
    const { code, stdout, stderr } = await operateAs('readOnlyOperator')(line);
    expect(stderr).toMatch(DENIED);
    expect(stderr).toContain(stack.outputs.OperatorPolicy);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  it('has changed nothing, and no record says so', async () => {
    const { stdout } = await operateAs('operator')('history --json');
    expect(JSON.parse(stdout).data.changes).toEqual([]);
    expect(stack.loyalty.journal.entries()).toEqual([]);
  });
});

describe('personal data', () => {
  it('is shown to a person who may only look, and that is recorded', async () => {
    const { stderr } = await operateAs('readOnlyOperator')('trace order 1 --full --reveal');
    expect(stderr).not.toMatch(/No personal data is shown/);
    const { stdout } = await operateAs('readOnlyOperator')('history --json');
    const { changes } = JSON.parse(stdout).data;
    expect(changes).toMatchObject([
      { command: 'trace', end: { result: 'finished', counts: { revealed: 1 } } },
    ]);
    expect(changes[0].who).toContain('OperatorPoliciesReadOnly');
  });

  it('of a dead letter needs an operator, who may receive it', async () => {
    const asReader = await operateAs('readOnlyOperator')('dead-letters show 1 --reveal');
    expect(asReader.stderr).toContain(stack.outputs.OperatorPolicy);
    expect([asReader.stdout, asReader.code]).toEqual(['', 1]);
    const asOperator = await operateAs('operator')('dead-letters show 1');
    expect(asOperator.stdout).toContain('Your decision is needed');
  });

  it('gives that person no record of a change', async () => {
    const { client, own, insert } = await writeAs('readOnlyOperator');
    await expect(insert(own)).rejects.toThrow('perform: dynamodb:PartiQLInsert');
    await expect(insert(`${own}|reveal-1`)).resolves.toBeDefined();
    client.destroy();
  });
});

/** Calls DynamoDB without the command line. */
async function writeAs(person: keyof RunningStack['keys']) {
  const { keys, endpoint, outputs } = stack;
  const credentials = { ...keys[person] };
  const aws = awsSettings({ endpoint, region: 'us-east-1', credentials });
  const client = new DynamoDB(aws);
  const { userId } = await readCaller(aws);
  const table = outputs.LedgerTable;
  return {
    ...{ client, table, own: `audit|operators-2026-10|${userId}|2026-10-01T00:00:00.000Z|1` },
    insert: (key: string) =>
      client.executeStatement({
        Statement: `INSERT INTO "${table}" VALUE {'entity': ?}`,
        Parameters: [{ S: key }],
      }),
  };
}

describe('the functions', () => {
  it('work with a key of the account', async () => {
    stack.store.actions.placeRandomOrder();
    await stack.settled();
    expect(stack.loyalty.journal.entries()).not.toEqual([]);
    const denied = stack.problems.filter(
      (problem) => !problem.includes('OperatorPoliciesReadOnly'),
    );
    expect(denied).toEqual([]);
    expect(stack.description.queues.every(({ keyArn }) => keyArn !== undefined)).toBe(true);
  });
});

describe('an operator', () => {
  it.each(linesOf('reads', 'asks', 'changes'))('runs %s', async (line) => {
    const { stdout, stderr } = await operateAs('operator')(line);
    expect(stdout + stderr).not.toMatch(DENIED);
    expect(stdout + stderr).not.toContain('This error is unexpected');
  });

  it('leaves a record of every change, with its end', async () => {
    const { stdout } = await operateAs('readOnlyOperator')('history --json');
    const { changes } = JSON.parse(stdout).data;
    // Whether order 1 is to be sent again depends on how far the workers came with what `recover` asked of them.
    const changed = changes.filter(
      ({ who, command }: Record<'who' | 'command', string>) =>
        !who.includes('ReadOnly') && command !== 'resend',
    );
    // There is no customer to give to: nothing was changed.
    const idle = ['resend', 'import balances'];
    const changing = namesOf('changes').filter((name) => !idle.includes(name));
    expect(changed.map(({ command }: { command: string }) => command).toSorted()).toEqual(
      changing.toSorted(),
    );
    for (const { command, who, end } of changed) {
      // Who used this machine, not only with which policy.
      expect(who, command).toMatch(/^[\w-]*OperatorPoliciesOperator\w*:[\w+=,.@-]+$/);
      // Of what the commands before have left, some only a person can settle.
      const mayFail = ['recover', 'retry-now'].includes(command);
      const results = mayFail ? ['failed', 'finished'] : ['finished'];
      expect(results, command).toContain(end?.result);
    }
    const counted = (name: string) =>
      changes.find(({ command }: { command: string }) => command === name).end.counts;
    expect(counted('dead-letters drop')).toEqual({ dropped: 1 });
    expect(counted('dead-letters replay')).toMatchObject({ sent: 1 });
  });

  it('cannot write the record of another person', async () => {
    const { client, insert } = await writeAs('operator');
    const other = insert('audit|operators-2026-11|AIDAOTHER|2026-11-01|1');
    await expect(other).rejects.toThrow('perform: dynamodb:PartiQLInsert');
    client.destroy();
  });

  it('cannot replace, change or delete a record of their own', async () => {
    const { client, table, own, insert } = await writeAs('operator');
    await insert(own);
    await expect(insert(own)).rejects.toThrow(DuplicateItemException);
    const Key = { entity: { S: own } };
    const at = { TableName: table };
    const denied = /is not authorized to perform/;
    await expect(client.putItem({ ...at, Item: Key })).rejects.toThrow(denied);
    await expect(client.updateItem({ ...at, Key })).rejects.toThrow(denied);
    await expect(client.deleteItem({ ...at, Key })).rejects.toThrow(denied);
    const RequestItems = { [String(table)]: [{ PutRequest: { Item: Key } }] };
    await expect(client.batchWriteItem({ RequestItems })).rejects.toThrow(denied);
    const Statement = `DELETE FROM "${table}" WHERE entity = '${own}'`;
    await expect(client.executeStatement({ Statement })).rejects.toThrow(denied);
    client.destroy();
  });
});
