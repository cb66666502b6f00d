import { describe, expect, it } from 'vitest';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import type { QueuedEvent } from '../../../shared/core/events/event.ts';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openStoreAndConnector, STORE_SECRET } from '../../support/store-and-connector.ts';

const connectors = runConnectors();

const ROBIN = {
  firstName: 'Robin',
  lastName: 'Quillane',
  email: 'robin.quillane@example.com',
  phone: '+15555550142',
};
const NEW_EMAIL = 'robin.new@example.com';

async function open(rules: MappingSettings = {}) {
  const both = await openStoreAndConnector(connectors, { seed: 5, rules });
  const { connector, store } = both;
  const { loyalty } = connector;

  /** One step of the store and all the work it causes; the store's clock has whole seconds. */
  async function step<Result>(act: () => Result): Promise<Result> {
    connector.pass(5);
    const result = act();
    await store.deliveries.settled();
    await connector.settle();
    return result;
  }
  const heldMember = (id: string) =>
    loyalty.state().customers.find(({ OriginalId }) => OriginalId === id);
  const heldOrder = (id: string) =>
    loyalty.state().orders.find(({ OriginalId }) => OriginalId === id);
  const signUp = (draft: Parameters<typeof store.actions.createCustomer>[0] = ROBIN) =>
    step(() => store.actions.createCustomer(draft));
  async function buy(customerId: string): Promise<string> {
    const { id: orderId } = await step(() =>
      store.actions.placeOrder({
        customerId,
        lines: [{ title: 'Shirt', price: 50, taxable: false }],
        taxes: [],
        payment: 'paid',
      }),
    );
    await step(() => store.actions.fulfilOrder({ orderId }));
    return orderId;
  }
  /** The newest webhook of a topic, delivered once more, as a late or captured one would be. */
  async function deliverAgain(topic: string, id: string, webhookId: string): Promise<void> {
    const sent = store.deliveries.all().filter((one) => one.topic === topic);
    const body = sent.find((one) => one.body.includes(id))?.body;
    if (body === undefined) throw new Error(`the store sent no ${topic} of ${id}`);
    await connector.deliver([topic, Buffer.from(body), { secret: STORE_SECRET, webhookId }]);
  }
  return { ...both, step, signUp, buy, heldMember, heldOrder, deliverAgain };
}

type World = Awaited<ReturnType<typeof open>>;

describe('a customer of the store', () => {
  it('is a member from sign-up, before any order, at the cost of one call', async () => {
    const { signUp, heldMember, connector } = await open();
    const { id } = await signUp();
    expect(connector.newOperations()).toEqual(['upsertCustomer']);
    expect(heldMember(id)).toMatchObject({
      Name: 'Robin Quillane',
      Email: ROBIN.email,
      Phone: ROBIN.phone,
    });
  });

  it('is followed in e-mail address and telephone number, and not for a note', async () => {
    const { signUp, step, heldMember, connector, store } = await open();
    const { id: customerId } = await signUp();
    connector.newOperations();
    await step(() => store.actions.updateCustomer({ customerId, note: 'called' }));
    expect(connector.newOperations()).toEqual([]);
    await step(() => store.actions.updateCustomer({ customerId, email: NEW_EMAIL, phone: null }));
    expect(connector.newOperations()).toEqual(['upsertCustomer']);
    expect(heldMember(customerId)).toMatchObject({ Email: NEW_EMAIL });
  });

  it('is followed in birthday and document, where they are metafields of the customer', async () => {
    const { signUp, step, heldMember, store } = await open({
      birthday: { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'birthday' },
      document: { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'document' },
    });
    const { id: customerId } = await signUp();
    const owner = { ownerGid: `gid://shopify/Customer/${customerId}`, namespace: 'facts' };
    store.actions.setMetafield({ ...owner, key: 'birthday', value: '1990-04-01' });
    store.actions.setMetafield({ ...owner, key: 'document', value: '12345678909' });
    await step(() => store.actions.updateCustomer({ customerId }));
    expect(heldMember(customerId)).toMatchObject({
      BirthdayDate: '1990-04-01T00:00:00.000Z',
      Document: '12345678909',
    });
    store.actions.setMetafield({ ...owner, key: 'document', value: '98765432100' });
    await step(() => store.actions.updateCustomer({ customerId }));
    expect(heldMember(customerId)?.Document).toBe('98765432100');
  });

  it('who is deleted stays in the service, which cannot delete, and is forgotten here', async () => {
    const { signUp, step, heldMember, connector, store, deliverAgain } = await open();
    const { id: customerId } = await signUp();
    expect(await connector.ledgerText()).toContain('m1{');
    connector.newOperations();
    await step(() => store.actions.deleteCustomer({ customerId }));
    await deliverAgain('customers/create', customerId, 'late-create');
    expect(connector.newOperations()).toEqual([]);
    expect(heldMember(customerId)?.Email).toBe(ROBIN.email);
    expect(await connector.ledgerText()).not.toContain('m1{');
    expect(await connector.deadLetters()).toEqual([]);
  });
});

const SECOND = { ...ROBIN, email: 'rq@example.com', phone: '+15555550199' };

/** As a person does in the service's panel: out of the one, into the other. */
async function movePoints(
  { loyalty }: World['connector'],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const path = (id: string, what: string) => `/Customer/${id}/${what}`;
  const { CashbackBalance: value } = await askLoyalty(loyalty, 'GET', path(from, 'points'));
  for (const [id, OperationType, Value] of [
    [from, 1, -value],
    [to, 0, value],
  ] as const) {
    const change = { Value, OperationType, Reason: 'merge', ChangeKey: `merge-${id}` };
    await askLoyalty(loyalty, 'POST', path(id, 'cashback'), change);
  }
}

describe('two customers whom the store merges', () => {
  async function merged(buying: (world: World, deletedId: string) => Promise<unknown>) {
    const world = await open();
    const { id: keptId } = await world.signUp();
    const { id: deletedId } = await world.signUp(SECOND);
    await buying(world, deletedId);
    await world.step(() => world.store.actions.mergeCustomers({ keptId, deletedId }));
    return { ...world, keptId, deletedId };
  }

  it('leave a dead letter until a person has moved the points; its replay then ends it', async () => {
    const { connector, keptId, deletedId } = await merged(({ buy }, id) => buy(id));
    const [letter, ...others] = await connector.deadLetters();
    expect(others).toEqual([]);
    expect(letter?.attributes).toMatchObject({ reason: 'rejected' });
    expect(letter?.attributes.why).toContain('the store merged two customers');

    await movePoints(connector, { from: deletedId, to: keptId });
    const decoded = decodeEvent(letter?.body ?? '');
    if (decoded.kind !== 'event') throw new Error(decoded.why);
    const replays = [{ at: new Date().toISOString(), by: 'operator' }];
    await connector.send({ ...decoded.event, replays } as QueuedEvent);
    await connector.settle();
    expect(await connector.deadLetters()).toHaveLength(1);
  });
});
