import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { SQS } from '@aws-sdk/client-sqs';
import { startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { freePort } from '../../local/stack/start-options.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { createSigner } from '../../shared/aws/aws-client.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { type CommandRun, runCommand } from '../support/connector-command.ts';
import { descendantsOf } from '../support/descendants.ts';
import { both, openLine, type Treat } from '../support/outside-line.ts';
import { installEngine, REGION, startEngine } from './engine.ts';
import type { PlantedBug } from './planted.ts';
import { startRecorder } from './recorder.ts';
import { packEarlier } from './release.ts';

export const STACK = 'loyalty-connector-prod';
const PATH = 'connector-check';
const SHOP = `${PATH}.myshopify.com`;
const LOYALTY_HOST = 'loyalty.connector-check.net';
/** Of a governed account. */
export const WEBHOOK_HOST = 'hooks.connector-check.net';

const APP = { id: 'sandbox-client', secret: 'app-secret-8d0f5e1b2c' };
const LOYALTY = { token: 'loyalty-token-5b1d70', key: 'loyalty-key-93f2c8' };
/** Of the root user. */
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** What a merchant has in the environment of a terminal that nobody sits at. */
const MERCHANT = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  CONNECTOR_CLIENT_ID: APP.id,
  CONNECTOR_CLIENT_SECRET: APP.secret,
  CONNECTOR_LOYALTY_TOKEN: LOYALTY.token,
  CONNECTOR_LOYALTY_KEY: LOYALTY.key,
};

/** Longer than the 30 seconds in which a call may be under way: what returns earlier waits once more. */
const VISIBLE_AGAIN_SECONDS = '35';

/** The outputs that name them. */
const SOURCES = /(?<!DeadLetter)QueueUrl$/;

export type Account = Awaited<ReturnType<typeof openAccount>>;

interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another program than the connector. */
  readonly script?: string | undefined;
}

interface AccountOptions {
  /** The project has the earlier release installed, until it is told to use this one. */
  readonly isEarlier?: boolean;
  readonly planted?: PlantedBug;
}

/** An empty AWS account, a store and a loyalty service, and the project of a merchant who has them. */
export async function openAccount({ isEarlier = false, planted }: AccountOptions) {
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
    /** What becomes of a call to the loyalty service; of those that have something to say, the first decides. */
    const treatments: Treat[] = [];
    const { address } = loyalty;
    const targets = { loyalty: address, store: '', ledger: '', queue: '', secrets: '' };
    const line = await openLine(targets, (call) => both(...treatments)(call));
    started({ stop: line.close });
    const port = await freePort();
    const recorder = started(await startRecorder(port));
    const routes = [
      { end: SHOP, address: store.address },
      { end: LOYALTY_HOST, address: line.addresses.loyalty },
      ...['.on.aws', WEBHOOK_HOST].map((end) => ({
        ...{ end, address: recorder.endpoint, keepsName: true },
      })),
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
    prepareProject(project);
    let launcher = isEarlier ? packEarlier(join(folder, 'earlier'), project) : undefined;
    writeSettings(project, isEarlier);
    let stack = STACK;
    const client = { endpoint: recorder.endpoint, region: REGION, credentials: CREDENTIALS };
    const sqs = new SQS(client);
    const secretsManager = new SecretsManager(client);
    for (const one of [sqs, secretsManager]) started({ stop: async () => one.destroy() });

    /** One command, whose exit code must be one of these. */
    async function run(
      line: string,
      codes: number | number[] = 0,
      { input = '', env = {}, script = launcher }: CommandOptions = {},
    ): Promise<CommandRun> {
      const ran = await runCommand(line.split(' '), {
        ...{ folder: project, input },
        ...(script && { script }),
        env: {
          ...MERCHANT,
          CONNECTOR_STACK: stack,
          ...environment,
          ...(planted && { CHECK_AWS_PLANTED: planted }),
          ...env,
        },
      });
      if ([codes].flat().includes(ran.code ?? -1)) return ran;
      throw new Error(`"${line}" ended with ${ran.code}:\n${ran.stderr}${ran.stdout}`);
    }

    const outputs = async (): Promise<Readonly<Record<string, string>>> => {
      const described = await new CloudFormation(client).describeStacks({ StackName: stack });
      const found = described.Stacks?.[0]?.Outputs ?? [];
      return Object.fromEntries(found.map((one) => [one.OutputKey, one.OutputValue]));
    };

    const queuesOf = async (named: RegExp) =>
      Object.entries(await outputs()).flatMap(([name, url]) => (named.test(name) ? [url] : []));

    /** How many messages the queues of these outputs hold, visible or not. */
    async function count(named: RegExp): Promise<number> {
      const counts = (await queuesOf(named)).map(async (QueueUrl) => {
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
        line,
        treatments,
        recorder,
        engine,
        client,
        sqs,
        run,
        ask,
        outputs,
        close,
      },
      ...{ path: PATH, app: APP },
      secrets: [APP.secret, LOYALTY.token, LOYALTY.key],
      get stack() {
        return stack;
      },

      /** From now on, commands are of this release, and the project has these settings. */
      useThisRelease(changes: SettingsChanges = {}): void {
        launcher = undefined;
        stack = `${changes.deployment?.namePrefix ?? ''}${STACK}`;
        writeSettings(project, false, changes);
      },

      /** The processes of a function that run now, as by `kill -9`. */
      async kill(name: string): Promise<void> {
        const isOf = ({ command }: { readonly command: string }) =>
          command.includes(`ministack-lambda-${stack}-${name}`);
        for (const { pid } of descendantsOf(engine.pid).filter(isOf)) process.kill(pid, 'SIGKILL');
      },

      /** Calls to the loyalty service are reset. Returns what ends that. */
      cutOff(): () => void {
        let isOver = false;
        treatments.push(() => (isOver ? 'pass' : 'unsent'));
        return () => {
          isOver = true;
        };
      },

      /** What a dead worker had comes back then; in a deployment, after 24 minutes. */
      async shortenVisibility(): Promise<void> {
        for (const QueueUrl of await queuesOf(SOURCES)) {
          const Attributes = { VisibilityTimeout: VISIBLE_AGAIN_SECONDS };
          await sqs.setQueueAttributes({ QueueUrl, Attributes });
        }
      },

      async secret(purpose: string): Promise<Readonly<Record<string, string>>> {
        const { SecretsPrefix } = await outputs();
        const SecretId = `${SecretsPrefix}/${PATH}/${purpose}`;
        const { SecretString } = await secretsManager.getSecretValue({ SecretId });
        return JSON.parse(SecretString ?? '{}');
      },

      deadLetters: () => count(/DeadLetterQueueUrl$/),

      /** Whether the store has delivered everything, and the queues are empty. */
      async isSettled(): Promise<boolean> {
        const isDelivering = () =>
          store.deliveries.all().some(({ state }) => state === 'waiting') ||
          loyalty.events.all().some(({ delivery }) => delivery?.state === 'pending');
        return !isDelivering() && (await count(SOURCES)) === 0 && !isDelivering();
      },

      /** All lines of all functions. */
      async readLogs(): Promise<readonly string[]> {
        const { logGroups } = await askLogs('DescribeLogGroups', {});
        const lines: string[] = [];
        for (const { logGroupName } of logGroups) {
          for (let nextToken: string | undefined, first = true; first || nextToken; first = false) {
            const page = await askLogs('FilterLogEvents', { logGroupName, nextToken });
            lines.push(...page.events.map(({ message }: { readonly message: string }) => message));
            nextToken = page.nextToken;
          }
        }
        return lines;
      },
    };

    /** The project needs no client of CloudWatch Logs but here. */
    async function askLogs(operation: string, input: object) {
      const target = { 'x-amz-target': `Logs_20140328.${operation}` };
      return JSON.parse(await ask('logs', 'x-amz-json-1.1', JSON.stringify(input), target));
    }

    /** Asks a service that has no client here. */
    async function ask(service: string, type: string, body: string, own = {}): Promise<string> {
      const { host } = new URL(recorder.endpoint);
      const sign = createSigner(service, REGION, () => CREDENTIALS);
      const headers = sign({
        host,
        headers: { 'content-type': `application/${type}`, ...own },
        body,
      });
      const answer = await fetch(recorder.endpoint, { method: 'POST', headers, body });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${service} refuses ${body}: ${text}`);
      return text;
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** With a stand-in for CDK's command line, which runs the real one. */
function prepareProject(project: string): void {
  const cdk = join(project, 'node_modules/aws-cdk/bin/cdk');
  mkdirSync(dirname(cdk), { recursive: true });
  const standIn = pathToFileURL(join(import.meta.dirname, 'cdk.ts')).href;
  writeFileSync(cdk, `import(${JSON.stringify(standIn)});\n`);
}

/** Settings beside those of the example. */
interface SettingsChanges {
  readonly loyalty?: object;
  readonly storefront?: object;
  readonly alarms?: object;
  readonly events?: object;
  readonly deployment?: { readonly namePrefix?: string } & Readonly<Record<string, unknown>>;
}

/** Orders count from an hour before, so that the store can have some that are a few minutes old. */
const GO_LIVE = new Date(Date.now() - 3_600_000).toISOString();

function writeSettings(project: string, isEarlier: boolean, changes: SettingsChanges = {}): void {
  const own = join(PACKAGE_FOLDER, 'shared/config/connector-config.ts');
  const settings = {
    shops: [{ domain: SHOP, rules: { goLive: GO_LIVE } }],
    storefront: {},
    ...changes,
    loyalty: { address: `https://${LOYALTY_HOST}`, ...changes.loyalty },
  };
  writeFileSync(
    join(project, 'connector.config.ts'),
    `import { defineConnector } from ${JSON.stringify(isEarlier ? 'loyalty-connector' : own)};
export default defineConnector(${JSON.stringify(settings)});
`,
  );
}
