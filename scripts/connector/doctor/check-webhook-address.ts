import { randomUUID } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { secretName } from '../../../shared/services/secret-forms.ts';
import { shopAddress } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { PROBE_TOPIC } from '../../../shared/shopify/webhooks/topics.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { readSecret } from '../secrets/read-secret.ts';
import { type PostedWebhook, postWebhook } from '../send/post-webhook.ts';
import { signWebhook } from '../send/sign-webhook.ts';
import { nextCommand } from '../terminal/next-command.ts';
import { type Finding, fail, pass } from './finding.ts';

/** Reachable, closed to a forged signature, open to a right one. Nothing is queued by it. */
export async function checkWebhookAddress(
  { domain, path }: Shop,
  deployment: Deployment,
  secrets: SecretsManagerClient,
): Promise<readonly Finding[]> {
  const address = shopAddress(deployment.output('WebhookAddress'), path);
  const body = Buffer.from('{}');
  const send = (secret: string) => {
    const delivery = {
      ...{ topic: PROBE_TOPIC, shop: domain, webhookId: randomUUID() },
      ...{ body, triggeredAt: new Date() },
    };
    return postWebhook(address, signWebhook(delivery, secret), body);
  };
  const forged = await send(randomUUID());
  const reached = judgeForged(forged, address);
  if (reached) return [reached];

  const name = secretName(deployment.output('SecretsPrefix'), path, 'webhook');
  const stored = await readSecret(secrets, name, 'webhook');
  if (stored.kind !== 'there') return [pass(`${address} refuses a forged signature`)];
  const genuine = await send(String(stored.fields.current));
  if (genuine.kind === 'answered' && genuine.status === 200) {
    return [pass(`${address} takes the shop's signature and refuses a forged one`)];
  }
  return [
    fail(
      `${address} does not take the shop's own signature (${answerText(genuine)})`,
      `A secret just changed is used within 5 minutes; otherwise: ${nextCommand(deployment, `secrets set webhook --shop ${domain}`)}`,
    ),
  ];
}

function judgeForged(answer: PostedWebhook, address: string): Finding | undefined {
  if (answer.kind === 'unanswered') {
    return fail(`${address} cannot be reached: ${answer.why}`, 'Deploy again: npm run deploy');
  }
  if (answer.status === 401) return undefined;
  if (answer.status >= 200 && answer.status <= 299) {
    return fail(
      `${address} took a forged signature`,
      'Something else answers there: deploy again.',
    );
  }
  return fail(
    `${address} answers a forged signature with ${answer.status}, not with 401`,
    'See the log of receive-webhook: secrets that cannot be read are answered with 503.',
  );
}

function answerText(answer: PostedWebhook): string {
  return answer.kind === 'answered' ? `${answer.status}` : answer.why;
}
