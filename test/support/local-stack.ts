import { createHmac, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { loadConnector } from '../../local/stack/choose-settings.ts';
import { settle } from '../../local/stack/run-stack.ts';
import { type RunningStack, startStack } from '../../local/stack/running-stack.ts';
import { portsFrom } from '../../local/stack/start-options.ts';
import type { StackOptions } from '../../local/stack/start-parts.ts';
import type { RunningShop } from '../../local/stack/start-sandboxes.ts';
import type { Concurrency } from '../../shared/config/concurrency.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { PROJECT } from './project.ts';
import { sharedAssembly } from './shared-assembly.ts';

export interface LocalStack extends RunningStack {
  readonly problems: readonly string[];
  /** One delivery to the webhook address, by default signed; returns the answer. */
  post(topic: string, payload: unknown, options?: PostOptions): Promise<Response>;
  /** Waits until the queues are empty. */
  settled(): Promise<void>;
}

interface PostOptions {
  /** Default: the first shop. */
  readonly to?: RunningShop | undefined;
  readonly secret?: string;
  readonly webhookId?: string;
  readonly contentType?: string;
}

interface LocalStackOptions
  extends Pick<
      StackOptions,
      | 'storeSettings'
      | 'loyaltySettings'
      | 'environmentOf'
      | 'isNew'
      | 'quota'
      | 'emulators'
      | 'dataFolder'
    >,
    Partial<Pick<StackOptions, 'ports'>> {
  readonly concurrency?: Concurrency | undefined;
  /** A settings file of the clone, instead of that of the project. */
  readonly settings?: string;
}

/** The stack as `npm start` runs it, in this process, on free ports. */
export async function startLocalStack({
  settings: file,
  concurrency,
  ...options
}: LocalStackOptions = {}): Promise<LocalStack> {
  const settings = file && resolve(PACKAGE_FOLDER, file);
  const problems: string[] = [];
  const stack = await startStack({
    connector: await loadConnector('prod', PROJECT, settings),
    assembly: sharedAssembly({ project: PROJECT, settings, concurrency }),
    ports: portsFrom(0),
    ...options,
    onProblem: (problem) => problems.push(problem),
  });
  return {
    ...stack,
    problems,
    post(topic, payload, { to = stack, secret = to.webhookSecret, webhookId, contentType } = {}) {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return fetch(to.webhookAddress, {
        method: 'POST',
        headers: {
          'content-type': contentType ?? 'application/json',
          'x-shopify-topic': topic,
          'x-shopify-shop-domain': to.shop.domain,
          'x-shopify-webhook-id': webhookId ?? randomUUID(),
          'x-shopify-api-version': '2026-10',
          'x-shopify-triggered-at': new Date().toISOString(),
          'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
        },
        body,
      });
    },
    async settled() {
      const left = await settle(stack, 200_000);
      if (left > 0) throw new Error(`${left} messages are still on their way`);
    },
  };
}
