import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { captureOutput } from '../../../local/harness/captured-output.ts';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { runCommand } from '../../support/connector-command.ts';
import { countMessages, receive, release } from '../../support/event-source.ts';
import { placeOrder, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { orderEvent } from '../../support/parked-letters.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const connector = useOperatedConnector();
let firstId = 9_000;

beforeAll(async () => {
  for (const { id: _, ...person } of Object.values(persons)) {
    connector.confidential.addPersonal({ customer: person });
  }
});
let output: ReturnType<typeof captureOutput>;
beforeEach(() => {
  output = captureOutput();
});
afterEach(() => output.stop());

/** Orders that the loyalty service refuses: dead letters with the real reason. Gives their ids. */
async function refuseOrders(count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => firstId + index);
  firstId += count;
  connector.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
  for (const id of ids) await sendOrder(id);
  await connector.work();
  connector.loyalty.faults.clear();
  return ids.map(String);
}

async function sendOrder(id: number, changes: object = {}): Promise<void> {
  const updated_at = new Date().toISOString();
  // The command goes by the creation of the ledger: an older order would be history.
  const placed = { created_at: updated_at, processed_at: updated_at };
  const order = { ...withId(id), ...placed, updated_at, ...changes };
  const payload = orderAt(0, { fulfilledAfterDays: 2 }, order);
  await connector.send(orderEvent(id, payload, updated_at));
}

const letters = () => countMessages(connector.sqs, connector.queues.urls.orders.deadLetterUrl);

const dropAll = () => connector.run('dead-letters drop --since 2000-01-01 --because test --yes');

describe('loyalty-connector dead-letters', { timeout: 240_000 }, () => {
  it('says that there is nothing', async () => {
    const { code, stdout } = await connector.run('dead-letters list');
    expect(stdout).toContain('No dead letters.');
    expect(code).toBe(0);
    const missing = await connector.run('dead-letters show 4711');
    const [listed] = await runSuggested(missing, connector);
    expect(listed?.stdout).toContain('No dead letters');
  });

  it('lists by reason and changes nothing', async () => {
    const ids = await refuseOrders(3);
    for (let time = 0; time < 2; time += 1) {
      const { code, stdout } = await connector.run('dead-letters list');
      expect(code).toBe(1);
      expect(stdout).toContain('3 dead letters need a decision.');
      expect(stdout).toMatch(/REASON +COUNT +CODE +OLDEST +NEWEST +EXAMPLE/);
      expect(stdout).toMatch(/rejected +3 +\S+ .* order \d+\n +sendOrder was refused/);
      expect(stdout).toMatch(
        /^Send 3 orders again:\n +npx loyalty-connector dead-letters replay --reason rejected/m,
      );
      expect(stdout).toMatch(
        /^Drop 3 dead letters:\n +npx loyalty-connector dead-letters drop --reason rejected/m,
      );
    }
    const { stdout } = await connector.run(`dead-letters list --id ${ids[0]} --json`);
    expect(JSON.parse(stdout).data).toMatchObject({ matching: 1, groups: [{ count: 1 }] });
    const [path] = SHOP.split('.');
    const byPath = await connector.run(`dead-letters list --shop ${path} --json`);
    expect(JSON.parse(byPath.stdout).data).toMatchObject({ matching: 3 });
    const none = await connector.run('dead-letters list --code 35');
    expect(none.stdout).toContain('No dead letter matches --code 35; there are 3 others of');
    expect(none.stdout.replace(/\s+/g, ' ')).toMatch(/Existing codes: \w+\./);
    expect(await letters()).toBe(3);
    await dropAll();
  });

  it('shows a dead letter without naming people, and where its order stands', async () => {
    const [id = ''] = await refuseOrders(1);
    const { code, stdout } = await connector.run(`dead-letters show ${id}`);
    expect(code).toBe(1);
    expect(stdout).toContain(`order ${id} of ${SHOP}`);
    expect(stdout.replace(/\s+/g, ' ')).toContain('Then send it again, or drop it.');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /Decide by \d{4}-\d\d-\d\d: then AWS deletes it\. If you do nothing, the first full comparison after/,
    );
    expect(stdout).toContain(`npx loyalty-connector trace order ${id} --shop ${SHOP}`);
    expect(stdout).not.toContain(persons.quillane.email);
    const asJson = await connector.run(`dead-letters show ${id} --json`);
    expect(JSON.parse(asJson.stdout).data).toMatchObject({
      letter: { reason: 'rejected', event: { kind: 'order', id } },
    });
  });

  it('reveals people only when asked to', async () => {
    const { stdout } = await runCommand(['dead-letters', 'show', String(firstId - 1), '--reveal'], {
      folder: connector.folder,
    });
    expect(stdout).toContain(persons.quillane.email);
    await dropAll();
  });

  it('sends nothing in a dry run, and everything with --yes, and follows it to its outcome', async () => {
    const ids = await refuseOrders(4);
    const dry = await connector.run('dead-letters replay');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain('Would send 4 dead letters again');
    expect(dry.stdout).toContain('dead-letters replay --wait --yes');
    expect(await letters()).toBe(4);

    const { code, stdout } = await connector.atWork(
      connector.run('dead-letters replay --yes --wait'),
    );
    expect(stdout).toMatch(/Sent 4 dead letters again/);
    expect(stdout).toContain('Done: 4 delivered.');
    expect(code).toBe(0);
    expect(await letters()).toBe(0);
    const held = connector.loyalty.state().orders.map(({ OriginalId }) => OriginalId);
    for (const id of ids) expect(held).toContain(id);
    const traced = await connector.run(`trace order ${ids[0]}`);
    expect(traced.stdout.replace(/\s+/g, ' ')).toContain(
      'dead-letters replay --wait: done, 4 sent',
    );
  });

  it('says that there are dead letters which another caller has received', async () => {
    await refuseOrders(2);
    const hidden = await receive(connector.sqs, connector.queues.urls.orders.deadLetterUrl, 600);
    expect(hidden).toHaveLength(2);
    for (const [line, done] of [
      ['replay', 'Nothing was sent'],
      ['drop --kind order --because test', 'Nothing was dropped'],
    ]) {
      const { code, stdout } = await connector.run(`dead-letters ${line} --yes`);
      expect(stdout).toContain(done);
      expect(stdout).toContain('cannot be read now: another person');
      expect(code).toBe(1);
    }
    const scan = await connector.run('dead-letters scan');
    expect(scan.stdout).toContain('About 2 more cannot be read now');
    expect(scan.code).toBe(4);
    await release(connector.sqs, connector.queues.urls.orders.deadLetterUrl, hidden);
    await dropAll();
  });

  it('drops only with --yes, and only what was named', async () => {
    const [first = '', second = ''] = await refuseOrders(2);
    const none = await connector.run(
      'dead-letters drop --id nobody --because mistake --yes --json',
    );
    expect(JSON.parse(none.stdout).data).toMatchObject({ dropped: 0 });

    const asked = await connector.run(`dead-letters drop --id ${first} --because mistake`);
    expect(asked.stdout).toContain('A dropped change is not sent again until it changes');
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain('Nothing is done before you agree.');
    expect(await letters()).toBe(2);

    const { code, stdout } = await connector.run(
      `dead-letters drop --id ${first} --because mistake --yes --json`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).data).toMatchObject({ dropped: 1, because: 'mistake' });
    expect(await letters()).toBe(1);
    const trace = await connector.run(`trace order ${first}`);
    expect(trace.stdout).toMatch(/Connector +its dead letter was dropped/);
    const left = await connector.run(`dead-letters list --id ${second} --json`);
    expect(JSON.parse(left.stdout).data.matching).toBe(1);
    await dropAll();
  });

  it('finds a dead letter by the name of its order, and says that it was delivered since, and how it left', async () => {
    connector.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
    const id = await placeOrder(connector);
    await connector.work();
    connector.loyalty.faults.clear();
    const found = JSON.parse((await connector.run(`dead-letters list --id ${id} --json`)).stdout);
    const { letterId } = found.data.groups[0].example;
    const shown = await connector.run(`dead-letters show ${letterId}`);
    const [, name = ''] = /order (#\d+) of/.exec(shown.stdout) ?? [];
    const named = await connector.run(`dead-letters list --text ${name.slice(1)} --json`);
    expect(JSON.parse(named.stdout).data.matching).toBe(1);

    await connector.run(`resend order ${id} --yes`);
    await connector.work();
    const { code, stdout } = await connector.run('dead-letters list');
    expect(code).toBe(0);
    expect(stdout).toContain('1 dead letter, already delivered');
    expect(stdout).not.toContain('dead-letters replay');
    expect((await connector.run('status')).stdout).toContain(
      '1 dead letter of orders: already delivered',
    );
    const obsolete = await connector.run(`dead-letters show ${letterId}`);
    expect(obsolete.stdout).toMatch(
      /^OK\n +Not needed any more: the loyalty service has the same or a newer\s+state/m,
    );
    expect(obsolete.stdout).not.toContain('dead-letters replay');

    await connector.run('dead-letters drop --delivered yes --because delivered --yes');
    const gone = await connector.run(`dead-letters show ${letterId}`);
    expect(gone.stdout).toContain(`Dead letter about order ${name} left the queue`);
    expect(gone.stdout).toMatch(/It was dropped at \d{4}-/);
  });
});
