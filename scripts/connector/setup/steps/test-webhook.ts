import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET_MAX_AGE_MS } from '../../../../shared/aws/secrets.ts';
import { readEntry } from '../../../../shared/core/ledger/ledger.ts';
import { shopAddress } from '../../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { openLedger } from '../../deployment/open-ledger.ts';
import { chooseBody, entityIn } from '../../send/choose-body.ts';
import { type PostedWebhook, postWebhook, signWebhook } from '../../send/post-webhook.ts';
import { answerText, isFine, readWebhookSecret } from '../../send/send-webhook.ts';
import { doNextOf, type ShopSetup, titleOf } from '../shop-setup.ts';
import { blocked, done, open, type Step } from '../step.ts';

/** The deletion of a product that no store has: it passes every part and leaves nothing. */
const SAMPLE = 'products/delete';
/** A receiver that runs may know only the former secret. */
const ACCEPTED_WITHIN_MS = SECRET_MAX_AGE_MS + 60_000;
const HANDLED_WITHIN_MS = 120_000;
const PAUSE_MS = 1_000;

/** Receiver, queue, worker, store and ledger: the worker's record shows that all of them work. */
export function testWebhookStep(setup: ShopSetup): Step {
  return {
    title: titleOf(setup, 'Test webhook'),
    look: async () => open(`A signed ${SAMPLE} of a product that does not exist.`),
    async act() {
      const { world, deployment, shop } = setup;
      const triggeredAt = new Date();
      const chosen = await chooseBody({ sample: SAMPLE }, shop.domain, triggeredAt);
      const { topic, body } = chosen;
      const delivery = { topic, body, shop: shop.domain, webhookId: randomUUID(), triggeredAt };
      const headers = signWebhook(delivery, await readWebhookSecret(deployment, shop));
      const address = shopAddress(deployment.output('WebhookAddress'), shop.path);
      const progress = world.terminal.progress('waiting for the connector');

      let tries = 0;
      const answer = await within(ACCEPTED_WITHIN_MS, async () => {
        const posted = await postWebhook(address, headers, body);
        tries += 1;
        progress.report(tries, answerText(posted));
        return { value: posted, isOver: isAccepted(posted) };
      });
      if (!isAccepted(answer)) {
        progress.end();
        return blocked(`${address}: ${answerText(answer)}.`, doNextOf(setup)('doctor'));
      }
      const id = entityIn(chosen, shop.domain)?.id ?? '';
      const ledger = openLedger(deployment);
      const entry = await within(HANDLED_WITHIN_MS, async () => {
        const value = await readEntry(ledger, { shop: shop.domain, kind: 'product', id });
        progress.report(1, 'accepted, waiting for the worker');
        return { value, isOver: value !== undefined };
      });
      progress.end();
      const last = entry?.outcomes.at(-1);
      if (!last) {
        const what = `${address} took the webhook, but no worker has handled it yet.`;
        return blocked(what, doNextOf(setup)('status'));
      }
      return done(
        `${address} took it, and the worker recorded: ${last.outcome} (${last.why ?? ''})`,
      );
    },
  };
}

const isAccepted = (posted: PostedWebhook): boolean =>
  posted.kind === 'answered' && isFine(posted.status);

/** Tries until it is over or the time has passed; returns the last value. */
async function within<T>(
  patienceMs: number,
  attempt: () => Promise<{ readonly value: T; readonly isOver: boolean }>,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const { value, isOver } = await attempt();
    if (isOver || Date.now() > until) return value;
    await sleep(PAUSE_MS);
  }
}
