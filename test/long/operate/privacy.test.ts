import { expect, it } from 'vitest';
import { keepPerson, NOWHERE, personOf, placesOf } from '../../support/kept-person.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

/* What somebody may ask about their data, and that nothing of it is left when it was erased. */

const operated = useOperatedConnector({
  hasStorefront: true,
  rules: { document: { from: 'note-attribute', name: 'document' }, pendingOrders: 'send' },
});

it('shows what is kept of a customer, erases it, and leaves what is kept of others', async () => {
  const ada = await keepPerson(operated, personOf(1));
  const bob = await keepPerson(operated, personOf(2));
  const before = await placesOf(operated, ada);
  for (const text of ada.texts) expect(before.ledger).toContain(text);
  expect(before.deadLetters).toContain(ada.email);

  const masked = await operated.run(`privacy show ${ada.email} --json`);
  expect(masked.code).toBe(0);
  for (const text of ada.texts) expect(masked.stdout).not.toContain(text);
  const shown = JSON.parse(
    (await operated.run(`privacy show ${ada.id} --reveal --json`)).stdout,
  ).data;
  for (const text of ada.texts) expect(JSON.stringify(shown)).toContain(text);
  expect(shown.ledger.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['order', 'redemption']),
  );
  expect(shown.deadLetters).toHaveLength(3);
  const told = JSON.stringify(shown.elsewhere);
  expect(told).toContain('"what":"1 message"');

  const preview = await operated.run(`privacy erase ${ada.id}`);
  expect(preview.stdout).toContain('Nothing is done before you agree.');
  expect(await placesOf(operated, ada)).toEqual(before);

  const first = await operated.atWork(operated.run(`privacy erase ${ada.email} --yes`));
  expect([first.code, first.stdout]).toEqual([3, expect.stringContaining('1 waiting message')]);
  await operated.atWork(operated.run(`retry-now --shop ${SHOP}`));
  const still = await operated.atWork(operated.run(`privacy erase ${ada.id} --yes`));
  expect(still.stdout).toContain('Shopify has them still');
  operated.store.actions.redactCustomer({ customerId: ada.id });
  const second = await operated.atWork(operated.run(`privacy erase ${ada.id} --yes --json`));
  expect([second.code, JSON.parse(second.stdout).verdict?.kind]).toEqual([0, 'ok']);
  expect(await placesOf(operated, ada)).toEqual(NOWHERE);
  expect(await operated.queues.waiting()).toBe(0);
  // The store has forgotten the address, and the loyalty service knows whose it was.
  const gone = await operated.run(`privacy show ${ada.email} --json`);
  expect(JSON.parse(gone.stdout).data.customers).toEqual([ada.id]);
  const nobody = await operated.run('privacy show nobody@example.com');
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('give the number')]);

  const others = await placesOf(operated, bob);
  for (const text of bob.texts) expect(others.ledger).toContain(text);
  expect(others.deadLetters).toContain(bob.email);
  const { stdout } = await operated.run('history --json');
  const [record] = JSON.parse(stdout).data.changes;
  expect(record).toMatchObject({ command: 'privacy erase', arguments: { customer: ada.id } });

  // All of the shop: the store is asked for nobody.
  const all = await operated.atWork(operated.run(`privacy erase-shop ${SHOP} --yes`));
  expect(all.code, all.stderr).toBe(0);
  expect(await placesOf(operated, bob)).toEqual(NOWHERE);
});
