import { createHmac, randomUUID } from 'node:crypto';
import { TOKEN_HEADER } from '../../shared/rewards/balances/receive-points.ts';
import { isRedeem, type OutsideCall, once } from '../support/outside-line.ts';
import { openBuyers } from '../support/stack-shoppers.ts';
import { refundOne, type Scene, SEND, say, sell, sellInVain, settled } from './check.ts';

/** Orders, a refund, a cancellation, products and codes. */
export async function openShop(scene: Scene): Promise<void> {
  say('orders, a refund, a cancellation, products and codes');
  const { account } = scene;
  const { actions, rows } = account.store;
  for (const { id } of rows.products.values()) actions.changeInventory({ productId: id, by: 1 });
  for (const { id, title } of rows.discounts.values()) {
    actions.updateDiscount({ discountId: id, title });
  }
  sell(account);
  const refunded = sell(account);
  const cancelled = sell(account);
  await settled(scene, 'orders');
  refundOne(account, refunded);
  actions.cancelOrder({ orderId: cancelled });
  actions.createDiscount({ title: 'Autumn', percentage: 15, codes: ['AUTUMN-A', 'AUTUMN-B'] });
  await settled(scene, 'a refund, a cancellation and codes');
}

/** Points come back to the store; the function dies while they are redeemed, and the code is used in an order. */
export async function redeem(scene: Scene): Promise<void> {
  say('points back, and a redemption whose function is killed');
  const { account, check } = scene;
  const { loyalty, store, path, app, treatments } = account;
  const outputs = await account.outputs();
  const { current } = await account.secret('points');
  account.secrets.push(current ?? '');
  await fetch(`${loyalty.address}/sandbox/subscriptions`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'typed',
      address: `${outputs.PointsAddress}/${path}`,
      headers: { [TOKEN_HEADER]: current },
    }),
  });
  // From the account: the engine takes the signature of the app proxy for one of AWS.
  const proof = { clientId: app.id, webhookSecret: app.secret };
  const shop = openBuyers({ store, loyalty, outputs, shop: { path }, ...proof });
  const shopper = shop.newShopper('who redeems');
  shop.buy(shopper, 250);
  await check.until('the points are shown', () => shop.look().shownPoints(shopper) === '250');
  treatments.push(once(isRedeem, { meanwhile: () => account.kill('Storefront') }));
  await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
  await check.until('there is a code', () => shop.look().codesOf(shopper).length > 0);
  shop.buy(shopper, 60, shop.look().codesOf(shopper)[0]?.code);
  await settled(scene, 'a redemption');
}

/** The service is down: what waits is sent by one command afterwards. */
export async function outage(scene: Scene): Promise<void> {
  say('an outage of the loyalty service');
  const { account, check } = scene;
  const end = account.cutOff();
  await sellInVain(scene, 3);
  await quiet(scene);
  end();
  const { code } = await account.run('retry-now', [0, 1, 3, 4]);
  check.expect(`what waits is sent: ${code}`, code === 0);
  await settled(scene, 'an outage');
}

/** Longer than a worker works without a call. */
const QUIET_MS = 5_000;

/** Every message was tried, or waits behind one that was: no later one can heal what a worker lost. */
async function quiet({ account, check }: Scene): Promise<void> {
  const { recorder, line, store } = account;
  let [calls, since] = [-1, 0];
  await check.until('workers are quiet', () => {
    const isDelivering = store.deliveries.all().some(({ state }) => state === 'waiting');
    const now = recorder.calls.length + line.calls.length;
    if (now !== calls || isDelivering) [calls, since] = [now, Date.now()];
    return Date.now() - since > QUIET_MS;
  });
}

/** The service and the store throttle; then the service takes other credentials only. */
export async function refusals(scene: Scene): Promise<void> {
  say('throttling, and refused credentials');
  const { account, check } = scene;
  const { loyalty, store, secrets } = account;
  loyalty.faults.add({ kind: 'http-429', operation: 'sendOrder', retryAfterSeconds: 2, count: 2 });
  store.faults.add({ kind: 'throttled', operation: 'order', count: 2 });
  for (let orders = 0; orders < 2; orders += 1) sell(account);
  await check.until('throttled calls are repeated', () =>
    [...loyalty.faults.list(), ...store.faults.list()].every(({ met }) => met === 2),
  );
  await settled(scene, 'throttling');
  for (const { faults } of [loyalty, store]) faults.clear();

  const changed = { token: 'loyalty-token-7e1c44', key: 'loyalty-key-0b6d15' };
  Object.assign(loyalty.settings.credentials, changed);
  secrets.push(changed.token, changed.key);
  await sellInVain(scene, 2);
  await account.run('secrets set loyalty', 0, { input: JSON.stringify(changed) });
  await settled(scene, 'refused credentials');
}

/** At three moments; what a dead worker had comes back. */
export async function killWorkers(scene: Scene): Promise<void> {
  say('workers are killed in the middle');
  const { account, check } = scene;
  const { recorder, treatments, line } = account;
  await account.shortenVisibility();
  for (const moment of ['before its call', 'after its call', 'before its record'] as const) {
    let isDead = false;
    const die = async () => {
      isDead = true;
      await account.kill('SyncOrders');
    };
    const id = sell(account);
    const isSent = ({ name, body }: OutsideCall) => name === SEND && body.includes(id);
    if (moment === 'before its record') {
      recorder.stops = async ({ action, items }) => {
        const isRecord = action === 'dynamodb:PutItem' && JSON.stringify(items).includes(id);
        if (isDead || !isRecord || !line.calls.some(isSent)) return false;
        await die();
        return true;
      };
    } else {
      treatments.push(async (call) => {
        if (isDead || !isSent(call)) return 'pass';
        if (moment === 'after its call') return { meanwhile: die };
        await die();
        return 'unsent';
      });
    }
    await check.until(`a worker dies ${moment}`, () => isDead);
  }
  await settled(scene, 'dead workers');
}

/** What others send, what cannot be read, and what the service refuses: a person decides. */
export async function deadLetters(scene: Scene): Promise<void> {
  say('forged and unreadable deliveries, and dead letters');
  const { account, check } = scene;
  const { loyalty, path, app } = account;
  const { WebhookAddress } = await account.outputs();
  const post = async (body: string, secret: string) => {
    const headers = {
      'content-type': 'application/json',
      'x-shopify-api-version': '2026-10',
      'x-shopify-topic': 'products/update',
      'x-shopify-shop-domain': account.store.shop.domain,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-triggered-at': new Date().toISOString(),
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    };
    const sent = { method: 'POST', headers, body };
    return (await fetch(`${WebhookAddress}/${path}`, sent)).status;
  };
  const answers = [await post('{"id":1}', 'guessed'), await post('{"no":"product"}', app.secret)];
  check.expect(
    `the forged one is refused, the other taken: ${answers}`,
    `${answers}` === '401,200',
  );
  loyalty.faults.add({ kind: 'business-error', operation: 'sendOrder', code: 30 });
  const refused = sell(account);
  await settled(scene, 'what cannot be sent');
  loyalty.faults.clear();
  const letters = await account.deadLetters();
  check.expect(`both are dead letters: ${letters}`, letters >= 2);
  const listed = await account.run('dead-letters list --json', 1);
  const { matching } = JSON.parse(listed.stdout).data;
  check.expect(`all are listed: ${matching} of ${letters}`, matching === letters);
  await account.run(`dead-letters show ${refused}`, 1);
  await account.run('dead-letters replay --reason rejected --yes --wait');
  await account.run('dead-letters drop --reason unreadable --because test --yes');
  await settled(scene, 'dead letters');
}
