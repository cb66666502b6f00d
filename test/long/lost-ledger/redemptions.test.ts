import { expect, it } from 'vitest';
import { runCommand } from '../../support/connector-command.ts';
import { IS_NIGHT } from '../../support/night.ts';
import { useAccidents } from './accident.ts';

const world = useAccidents();
const PATIENCE = { timeout: 120_000, interval: 500 };

/** The codes that the pages of the shop show to this customer. */
const shownCodes = async (shopper: Parameters<typeof world.pointsOf>[0]) =>
  (await world.shop.askUntilAnswered(shopper, 'redemptions')).redemptions.map(
    ({ code }: { code?: string }) => code,
  );

it('a restored ledger: a repeated click spends nothing, and recover brings back the codes bought since', async () => {
  const { shop } = world;
  const again = shop.newShopper('who clicks again');
  const quiet = shop.newShopper('who does nothing');
  const spent = shop.newShopper('whose code is used already');
  const merged = shop.newShopper('who is merged into another');
  const kept = shop.newShopper('who is kept');
  const buyers = [again, quiet, spent];
  const history = world.sell(quiet, 77, { createdAt: '2026-01-01T10:00:00Z' });
  for (const one of buyers) shop.buy(one, 250);
  const order = shop.buy(merged, 100);
  await shop.expectPoints(buyers, 250);
  const copy = await world.copyLedger();

  for (const one of buyers) await shop.askUntilAnswered(one, 'redeem', one.click);
  await shop.expectCodes(buyers);
  const codes = new Map(
    buyers.map((one) => [
      one,
      shop
        .look()
        .codesOf(one)
        .map(({ code }) => code),
    ]),
  );
  shop.buy(spent, 60, codes.get(spent)?.[0]);
  world.stack.store.actions.mergeCustomers({ keptId: kept.id, deletedId: merged.id });
  await world.rest();
  const pointsNow = () => [...buyers, merged, kept].map((one) => world.pointsOf(one) ?? 0);
  const points = pointsNow();
  expect(points.slice(0, 2)).toEqual([150, 150]);

  // The merge asks a person to move the points of the customer who is gone.
  const letters = await shop.deadLetters();
  await world.restoreLedger(copy);
  await shop.askUntilAnswered(again, 'redeem', again.click);
  world.refund(order, 10);
  await world.rest();
  const preview = await world.run('recover');
  expect(preview.stdout).toContain('Nothing is done before you agree.');
  expect(await shownCodes(quiet)).toEqual([]);

  // Killed when it has just begun, and once more later.
  for (const end of ['go-live', 'Shops compared']) {
    const killed = await runCommand(['recover', '--yes'], {
      folder: world.folder,
      onOutput: (output, child) => void (output.includes(end) && child.kill('SIGKILL')),
    });
    expect([null, 0]).toContain(killed.code);
  }
  const { code, stdout } = await world.run('recover --yes');
  expect(stdout).toContain('Recovered in');
  expect(code).toBe(0);
  for (const one of buyers) {
    await expect.poll(() => shownCodes(one), PATIENCE).toEqual(codes.get(one));
    expect(shop.look().redemptionsOf(one)).toHaveLength(1);
    // Once a code is used, what may be a spare copy of it leaves the store.
    expect(shop.look().codesOf(one)).toHaveLength(one === spent ? 0 : 1);
  }
  await shop.askUntilAnswered(quiet, 'redeem', quiet.click);
  await world.rest();
  expect(shop.look().redemptionsOf(quiet)).toHaveLength(1);
  expect(world.heldOrder(order)?.points).toBe(90);
  expect(pointsNow()).toEqual(points.map((was, n) => (n === 3 ? was - 10 : was)));

  // An order from before the program began earns nothing, however the ledger was found again.
  await world.loseLedger();
  // 3: a used code that may have been made again is looked at a minute later, so its message may still wait.
  expect([0, 3]).toContain((await world.run('recover --yes')).code);
  world.refund(history, 1);
  await world.rest();
  expect(world.heldOrder(history)).toBeUndefined();
  expect(await shownCodes(again)).toEqual(codes.get(again));
  expect(pointsNow()).toEqual(points.map((was, n) => (n === 3 ? was - 10 : was)));
  expect(await shop.deadLetters()).toBe(letters);
  expect(world.stack.problems).toEqual([]);
});

it.runIf(IS_NIGHT)('adopts a table that was restored beside the ledger', async () => {
  const { shop } = world;
  const shopper = shop.newShopper('of the restored table');
  const id = world.sell(shopper, 150);
  await shop.expectPoints([shopper], 150);
  const copy = await world.copyLedger();
  await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
  await shop.expectCodes([shopper]);
  world.refund(id, 20);
  await world.rest();
  const name = 'ledger-restored';
  await world.restoreBeside(name, copy);
  // The operator's own policy covers the ledger only.
  world.actAs('administrator');
  await world.loseLedger();
  const preview = await world.run(`recover --from ${name}`);
  expect(preview.stdout).toContain('Nothing is done before you agree.');
  expect(await world.copyLedger()).toEqual([]);
  const { code, text } = await world.run(`recover --from ${name} --yes`);
  expect(text).toContain('Recovered in');
  expect(code).toBe(0);
  expect(world.heldOrder(id)?.points).toBe(130);
  expect(world.pointsOf(shopper)).toBe(30);
  expect(await shownCodes(shopper)).toHaveLength(1);
  // The pause for the copy is over.
  world.sell(shopper, 5);
  await shop.expectPoints([shopper], 35);
});
