import { resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { recordBegin } from '../../../scripts/connector/ground/session/audit-records.ts';
import { changeControl, withOperatorPause } from '../../../shared/core/calls/shop-pause.ts';
import { keepLastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';
import { askAdmin } from '../../support/ask-admin.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';
import { runSuggested } from '../../support/suggested-command.ts';

/** Clears the screen, hides what follows, begins a command to the terminal, deletes, breaks the line, and turns the direction. */
const HOSTILE = 'x\u001b[2J\u001b[8m\u009b31m\u007f\u0085\u2028\u202eabc\u2066\u061cy';
const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
/** Line ends are the command's own. */
const withoutLineEnds = (text: string) => text.replaceAll('\n', '');

const connector = useOperatedConnector();

beforeAll(async () => {
  const now = new Date();
  const at = now.toISOString();
  const { ledger, store, outputs, queues } = connector;
  await connector.describe({
    outputs: { ...outputs, BalancesQueueUrl: queues.urls.coupons.url },
    settings: resolve('local/harness/storefront.config.ts'),
  });
  await askAdmin(
    store,
    'mutation($s: WebhookSubscriptionInput!) { webhookSubscriptionCreate(topic: ORDERS_PAID, webhookSubscription: $s) { userErrors { message } } }',
    { s: { uri: `https://elsewhere.example.com/${HOSTILE}` } },
  );
  const change = { command: HOSTILE, arguments: { 1: HOSTILE, [HOSTILE]: 'x' }, version: HOSTILE };
  await recordBegin(ledger, { arn: `arn:aws:iam::0:user/${HOSTILE}`, userId: 'AIDA' }, change, now);
  const none = { order: 0, product: 0, coupon: 0, member: 0 };
  await keepLastReconcile(ledger, SHOP, {
    ...{
      beganAt: at,
      endedAt: at,
      lookedAt: none,
      healed: { ...none, coupon: 1 },
      rolledOut: none,
    },
    sent: [{ kind: 'coupon', id: HOSTILE, why: 'missing' }],
    stopped: [{ kind: 'order', why: HOSTILE }],
  });
  store.actions.createProduct({ title: HOSTILE, price: 1 });
  store.actions.createDiscount({ percentage: 10, codes: [HOSTILE, `--${HOSTILE}`] });
  await leaveStuckRedemption(ledger, { shop: SHOP, customerId: '7012345' }, { title: HOSTILE, at });
  await changeControl(ledger, SHOP, (control) =>
    withOperatorPause(control, 'all', HOSTILE, now, { because: HOSTILE }),
  );
});

it.each(['doctor', 'webhooks check', 'history', 'redemptions list', 'reconcile status'])(
  'shows a hostile text harmlessly: %s',
  async (command) => {
    const text = await connector.run(command);
    expect(text.stdout).toContain('\\u001b');
    expect(withoutLineEnds(text.stdout + text.stderr)).not.toMatch(FORBIDDEN);
    const json = await connector.run(`${command} --json`);
    expect(withoutLineEnds(json.stdout + json.stderr)).not.toMatch(FORBIDDEN);
    // As values it is what it was.
    expect(JSON.stringify(JSON.parse(json.stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  },
);

it.each([
  ...['trace HOSTILE', 'trace coupon HOSTILE', 'trace coupon -- --HOSTILE', 'trace order HOSTILE'],
  ...['trace HOSTILE 1', 'trace product HOSTILE', 'trace customer HOSTILE', 'trace none-HOSTILE'],
  'compare orders --since HOSTILE',
  ...['resend coupon HOSTILE', 'resend HOSTILE 1', 'redemptions show 7012345'],
  ...['redemptions show HOSTILE', 'redemptions close 7012345 HOSTILE --refused'],
])('repeats no hostile text raw, whether typed or read: %s', async (line) => {
  const typed = line.replaceAll('HOSTILE', HOSTILE);
  for (const words of [typed, typed.replace(' ', ' --json ')]) {
    const { stdout, stderr } = await connector.run(words);
    expect(stdout + stderr).toContain('\\u001b');
    expect(withoutLineEnds(stdout + stderr)).not.toMatch(FORBIDDEN);
    expect(stderr).not.toContain('This error is unexpected');
  }
});

it('names the redemptions that there are where one is closed that there is not', async () => {
  const missing = await connector.run('redemptions close 7012345 NONE --refused --yes');
  const [shown] = await runSuggested(missing, connector);
  expect(shown?.stdout).toContain('K3F9A2LQ7ZPX');
});
