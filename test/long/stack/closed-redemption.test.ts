import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Session } from '../../../scripts/connector/ground/session/session.ts';
import type { Document } from '../../../scripts/connector/ground/terminal/document.ts';
import type { ExitCode } from '../../../scripts/connector/ground/terminal/exit.ts';
import { createTerminal } from '../../../scripts/connector/ground/terminal/terminal.ts';
import {
  closeCommand,
  listCommand,
  showCommand,
} from '../../../scripts/connector/repair/redemptions.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { deploymentOf } from '../../support/console-in-browser.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { openShoppers } from '../../support/stack-shoppers.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';

const PATIENCE = { timeout: 90_000, interval: 250 };
let stack: LocalStack;
const counted: object[] = [];
beforeAll(async () => {
  stack = await startLocalStack({ settings: 'local/harness/storefront.config.ts' });
});
afterAll(() => stack?.stop());

/** A command of the operator's on this stack; gives its verdict and all that it says. */
async function operate(command: (session: Session) => Promise<Document | ExitCode>) {
  const deployment = await deploymentOf(stack);
  let shown: Document | undefined;
  const session = {
    show(document: Document) {
      shown = document;
    },
    terminal: createTerminal({ quiet: true }),
    findDeployment: async () => deployment,
    beginChange: async () => ({ count: (counts: object) => void counted.push(counts) }),
  } as unknown as Session;
  const answer = await command(session);
  const { verdict, blocks = [] } = (typeof answer === 'object' ? answer : shown) ?? {};
  return { kind: verdict?.kind, text: JSON.stringify({ verdict, blocks }), blocks };
}

it('lets the operator see and close a redemption that needs a person, and the customer redeem again', async () => {
  const shop = openShoppers(stack);
  const shopper = shop.newShopper('with a redemption that needs a person');
  shop.buy(shopper, 120);
  await shop.expectPoints([shopper], 120);
  const table = stack.outputs.LedgerTable ?? '';
  const ledger = createDynamoDbLedger({ client: stack.dynamoDb, table });
  const customer = { shop: stack.shop.domain, customerId: shopper.id };
  await leaveStuckRedemption(ledger, customer, { points: 100 });
  const redemptions = async () => (await shop.askUntilAnswered(shopper, 'redemptions')).redemptions;
  const list = () => operate((session) => listCommand(session, {}));
  const pending = await list();
  expect(pending.kind).toBe('action required');
  const id = 'K3F9A2LQ7ZPX';
  expect(pending.text).toContain(id);

  const close = (options: Parameters<typeof closeCommand>[1]) =>
    operate((session) => closeCommand(session, options, shopper.id, id));
  expect((await close({ refused: true })).text).toContain('Nothing is done before you agree.');
  expect(await redemptions()).toMatchObject([{ state: 'pending' }]);
  await expect(close({})).rejects.toThrow('--refused, --cancelled, --used or --credited');
  expect((await close({ refused: true, yes: true })).text).toContain('It is closed');
  expect((await close({ refused: true, yes: true })).kind).toBe('ok');
  expect(counted).toEqual([{ closed: 1 }, { closed: 0 }]);
  await expect(close({ cancelled: true, yes: true })).rejects.toThrow('is "refused, ');
  expect(await redemptions()).toMatchObject([{ state: 'refused' }]);
  expect((await list()).kind).toBe('ok');

  // A double click.
  const click = () => shop.askUntilAnswered(shopper, 'redeem', shopper.click);
  const answers = await Promise.all([click(), click()]);
  const [again] = new Set(answers.map(({ redemption }) => redemption.id));
  expect(answers.map(({ redemption }) => redemption.id)).toEqual([again, again]);
  expect(again).not.toBe(id);
  await expect
    .poll(redemptions, PATIENCE)
    .toMatchObject([{ state: 'ready' }, { state: 'refused' }]);
  await shop.expectPoints([shopper], 20);
  const shown = await operate((session) => showCommand(session, {}, shopper.id));
  expect(shown.kind).toBe('ok');
  expect(shown.text).toMatch(/"code ready".*"refused, no points spent"/);
  expect(shown.text).not.toMatch(/Robin|example\.com/);
  expect(shown.blocks).toContainEqual(
    expect.objectContaining({
      title: 'Balance: the same in store, connector and loyalty service',
      facts: expect.arrayContaining([['Points', 20]]),
    }),
  );
  const [changes = []] = shown.blocks.flatMap((one) =>
    one.kind === 'table' && one.title === 'Changes of points' ? [one.rows] : [],
  );
  const balances = [...changes.map(({ cells }) => Number(cells[3])), 0];
  expect(balances[0]).toBe(20);
  changes.forEach(({ cells }, at) => {
    const change = Number(String(cells[2]).replace('−', '-'));
    expect(Number(balances[at]) - change).toBeCloseTo(Number(balances[at + 1]));
  });
  const [code] = shop.look().codesOf(shopper);
  const byCode = await operate((session) => showCommand(session, {}, code?.code ?? ''));
  expect(byCode).toEqual(shown);
  const stranger = await operate((session) => showCommand(session, {}, '404'));
  expect(stranger.kind).toBeUndefined();
  expect(stranger.text).toContain('not there yet');
  // Each function did all of this with the grants of its own role.
  expect(stack.problems).toEqual([]);
});
