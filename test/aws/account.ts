import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { SQS } from '@aws-sdk/client-sqs';
import { startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { startOutageProxy } from '../../local/stack/outage-proxy.ts';
import { freePort } from '../../local/stack/start-options.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { createSigner } from '../../shared/aws/aws-client.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { type CommandRun, runCommand } from '../support/connector-command.ts';
import { installEngine, REGION, startEngine } from './engine.ts';
import type { PlantedBug } from './planted.ts';
import { startRecorder } from './recorder.ts';

export const STACK = 'loyalty-connector-prod';
const SHOP = 'connector-check.myshopify.com';
const LOYALTY_HOST = 'loyalty.connector-check.net';

const APP = { id: 'sandbox-client', secret: 'app-secret-8d0f5e1b2c' };
const LOYALTY = { token: 'loyalty-token-5b1d70', key: 'loyalty-key-93f2c8' };
/** Of the root user. */
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** What a merchant has in the environment of a terminal that nobody sits at. */
const MERCHANT = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  CONNECTOR_STACK: STACK,
  CONNECTOR_CLIENT_ID: APP.id,
  CONNECTOR_CLIENT_SECRET: APP.secret,
  CONNECTOR_LOYALTY_TOKEN: LOYALTY.token,
  CONNECTOR_LOYALTY_KEY: LOYALTY.key,
};

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** An empty AWS account, a store and a loyalty service, and the project of a merchant who has them. */
export async function openAccount(planted?: PlantedBug) {
  const program = await installEngine();
  const folder = mkdtempSync(join(tmpdir(), 'connector-aws-'));
  const parts: { stop(): Promise<unknown> }[] = [];
  const started = <P extends { stop(): Promise<unknown> }>(part: P): P => {
    parts.push(part);
    return part;
  };
  const close = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const store = started(
      await startStoreSandbox({
        shop: { domain: SHOP },
        secret: APP.secret,
        clientId: APP.id,
        settings: { retryPausesSeconds: Array.from({ length: 300 }, () => 1) },
      }),
    );
    const loyalty = started(
      await startLoyaltySandbox({
        settings: { credentials: LOYALTY, currency: store.shop.currency },
      }),
    );
    const loyaltyProxy = started(await startOutageProxy(loyalty.address));
    const port = await freePort();
    const recorder = started(await startRecorder(port));
    const routes = [
      { end: SHOP, address: store.address },
      { end: LOYALTY_HOST, address: loyaltyProxy.address },
      { end: '.on.aws', address: recorder.endpoint, keepsName: true },
    ];
    const environment = {
      AWS_ENDPOINT_URL: recorder.endpoint,
      CHECK_AWS_ROUTES: JSON.stringify(routes),
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'routes.mjs'))}`,
    };
    // The sandboxes of this process send, too.
    process.env.CHECK_AWS_ROUTES = environment.CHECK_AWS_ROUTES;
    const engine = started(
      await startEngine({ program, folder: join(folder, 'engine'), port, environment }),
    );
    const project = join(folder, 'project');
    writeProject(project);
    const client = { endpoint: recorder.endpoint, region: REGION, credentials: CREDENTIALS };
    const sqs = new SQS(client);
    started({ stop: async () => sqs.destroy() });

    /** One command, whose exit code must be this. */
    async function run(line: string, code = 0, env = {}): Promise<CommandRun> {
      const ran = await runCommand(line.split(' '), {
        folder: project,
        env: {
          ...MERCHANT,
          ...environment,
          ...(planted && { CHECK_AWS_PLANTED: planted }),
          ...env,
        },
      });
      if (ran.code === code) return ran;
      throw new Error(`"${line}" ended with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
    }

    const outputs = async (): Promise<Readonly<Record<string, string>>> => {
      const described = await new CloudFormation(client).describeStacks({ StackName: STACK });
      const found = described.Stacks?.[0]?.Outputs ?? [];
      return Object.fromEntries(found.map((one) => [one.OutputKey, one.OutputValue]));
    };

    /** How many messages the queues of these outputs hold, visible or not. */
    async function count(named: RegExp): Promise<number> {
      const urls = Object.entries(await outputs()).flatMap(([name, url]) =>
        named.test(name) ? [url] : [],
      );
      const counts = urls.map(async (QueueUrl) => {
        const asked = { QueueUrl, AttributeNames: ['All' as const] };
        const { Attributes: found = {} } = await sqs.getQueueAttributes(asked);
        return Object.entries(found)
          .filter(([name]) => name.startsWith('ApproximateNumberOf'))
          .reduce((sum, [, one]) => sum + Number(one), 0);
      });
      return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
    }

    return {
      ...{
        project,
        store,
        loyalty,
        loyaltyProxy,
        recorder,
        engine,
        client,
        sqs,
        run,
        outputs,
        close,
      },
      secrets: [APP.secret, LOYALTY.token, LOYALTY.key],
      deadLetters: () => count(/DeadLetterQueueUrl$/),

      /** Whether the store has delivered everything, and the queues are empty. */
      async isSettled(): Promise<boolean> {
        const isDelivering = store.deliveries.all().some(({ state }) => state === 'waiting');
        return !isDelivering && (await count(/(?<!DeadLetter)QueueUrl$/)) === 0;
      },

      /** All lines of all functions. */
      async readLogs(): Promise<readonly string[]> {
        const { logGroups } = await askLogs('DescribeLogGroups', {});
        const lines: string[] = [];
        for (const { logGroupName } of logGroups) {
          const { events } = await askLogs('FilterLogEvents', { logGroupName, limit: 10_000 });
          lines.push(...events.map(({ message }: { readonly message: string }) => message));
        }
        return lines;
      },
    };

    /** The project needs no client of CloudWatch Logs but here. */
    async function askLogs(operation: string, input: object) {
      const { host } = new URL(recorder.endpoint);
      const body = JSON.stringify(input);
      const target = `Logs_20140328.${operation}`;
      const sign = createSigner('logs', REGION, () => CREDENTIALS);
      const type = 'application/x-amz-json-1.1';
      const headers = sign({
        host,
        headers: { 'content-type': type, 'x-amz-target': target },
        body,
      });
      const answer = await fetch(recorder.endpoint, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`${operation}: ${await answer.text()}`);
      return JSON.parse(await answer.text());
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** With a stand-in for CDK's command line, which runs the real one. */
function writeProject(project: string): void {
  const cdk = join(project, 'node_modules/aws-cdk/bin/cdk');
  mkdirSync(dirname(cdk), { recursive: true });
  const standIn = pathToFileURL(join(import.meta.dirname, 'cdk.ts')).href;
  writeFileSync(cdk, `import(${JSON.stringify(standIn)});\n`);
  writeSettings(project);
}

/** `more`: settings beside those of the example, as text. */
function writeSettings(project: string, more = ''): void {
  const config = join(PACKAGE_FOLDER, 'shared/config/connector-config.ts');
  writeFileSync(
    join(project, 'connector.config.ts'),
    `import { defineConnector } from ${JSON.stringify(config)};
export default defineConnector({
  shops: [{ domain: '${SHOP}' }],
  loyalty: { address: 'https://${LOYALTY_HOST}' },
  storefront: {},
  ${more}
});
`,
  );
}
