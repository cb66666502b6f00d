import { createHash, createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConnector } from '../../local/stack/choose-settings.ts';
import { settle } from '../../local/stack/run-stack.ts';
import { type RunningStack, startStack } from '../../local/stack/running-stack.ts';
import { portsFrom } from '../../local/stack/start-options.ts';
import type { StackOptions } from '../../local/stack/start-parts.ts';
import type { RunningShop } from '../../local/stack/start-sandboxes.ts';
import { synthesize } from '../../local/stack/synthesize.ts';
import { type Assembly, readAssembly } from '../../local/stack/template/template.ts';
import type { Concurrency } from '../../shared/config/concurrency.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { PROJECT } from './project.ts';
import createRunFolder from './run-folder.ts';

const STAGE = 'prod';

/**
 * The synthesized stack. It takes seconds of both cores, so equal settings are synthesized once in a run of tests:
 * the first process that asks makes it, and the others wait.
 */
async function sharedAssembly(options: Parameters<typeof synthesize>[2]): Promise<Assembly> {
  const name = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16);
  // Outside of vitest.
  if (process.env.TEST_RUN_FOLDER === undefined) process.once('exit', createRunFolder());
  const folder = join(process.env.TEST_RUN_FOLDER ?? '', name);
  const [assembly, ready] = [join(folder, 'cdk.out'), join(folder, 'ready')];
  while (!existsSync(ready)) {
    if (isMade(folder)) {
      await synthesize(STAGE, assembly, options).catch((error: unknown) => {
        rmSync(folder, { recursive: true });
        throw error;
      });
      writeFileSync(ready, '');
    } else await sleep(50);
  }
  return readAssembly(assembly, `loyalty-connector-${STAGE}`);
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

export interface LocalStack extends RunningStack {
  readonly problems: readonly string[];
  /**
   * One delivery to the webhook address, by default signed; returns the answer. Sent again on 503, as by the store: a
   * busy machine may exceed the receiver's time-out.
   */
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
  /** A test takes permissions away. Otherwise a function that lacks one fails the test file. */
  readonly mayBeDenied?: boolean;
}

/** The stack as `npm start` runs it, in this process, on free ports. */
export async function startLocalStack({
  settings: file,
  concurrency,
  mayBeDenied = false,
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
    async post(
      topic,
      payload,
      { to = stack, secret = to.webhookSecret, webhookId = randomUUID(), contentType } = {},
    ) {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const headers = {
        'content-type': contentType ?? 'application/json',
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': to.shop.domain,
        'x-shopify-webhook-id': webhookId,
        'x-shopify-api-version': '2026-10',
        'x-shopify-triggered-at': new Date().toISOString(),
        'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
      };
      for (let attempt = 1; ; attempt += 1) {
        const answer = await fetch(to.webhookAddress, { method: 'POST', headers, body });
        if (answer.status !== 503 || attempt === 5) return answer;
      }
    },
    async stop() {
      await stack.stop();
      const denied = problems.filter((one) => /^AccessDenied: \S*Role/.test(one));
      if (denied.length > 0 && !mayBeDenied) throw new Error(denied.join('\n'));
    },
    async settled() {
      const left = await settle(stack, 200_000);
      if (left > 0) throw new Error(`${left} messages are still on their way`);
    },
  };
}
