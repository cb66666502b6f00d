import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type CapturedOutput, captureOutput } from '../../local/harness/captured-output.ts';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import type { Catalog } from '../../local/loyalty-sandbox/catalog.ts';
import { type LoyaltySandbox, startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import type { PartialSettings } from '../../local/loyalty-sandbox/settings.ts';
import { type ConnectorSettings, defineConnector } from '../../shared/config/connector-config.ts';
import type { LoyaltyAssumptions } from '../../shared/config/connector-settings.ts';
import { changeControl, resumed, withOperatorPause } from '../../shared/core/calls/shop-pause.ts';
import { BEFORE_ALL_FIXTURES } from '../fixtures/order-payload.ts';
import { persons } from '../fixtures/persons.ts';
import { type Confidential, createConfidential } from './disclosure.ts';
import {
  AWS_SECRET,
  deployFunctions,
  type EmulatedAws,
  invokeWeb,
  startAws,
} from './emulated-deployment.ts';
import { invocationOf } from './event-source.ts';
import { createMemoryStore } from './memory-store.ts';
import { readMetricLine } from './watched-metrics.ts';

/** Everything around the functions, and all their output. */
interface Surroundings {
  readonly aws: EmulatedAws;
  readonly loyalty: LoyaltySandbox;
  readonly output: CapturedOutput;
  readonly confidential: Confidential;
}

/** The start of every test. The fixtures' orders were placed four days before. */
export const START = Date.parse('2026-10-09T12:00:00.000Z');

export const LOYALTY_CREDENTIALS = { token: 'loyalty-token-5b1d70', key: 'loyalty-key-93f2c8' };

/** `service`: how the loyalty sandbox behaves; `catalog`: its rewards, where the usual ones do not suit. */
async function startSurroundings(
  service: PartialSettings,
  catalog: Catalog | undefined,
): Promise<Surroundings> {
  const aws = await startAws();
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  return {
    aws,
    loyalty: await startLoyaltySandbox({
      settings: { ...service, credentials: LOYALTY_CREDENTIALS },
      ...(catalog && { catalog }),
    }),
    output: captureOutput(),
    confidential: gatherConfidential(),
  };
}

async function stopSurroundings({ aws, loyalty, output }: Surroundings): Promise<void> {
  output.stop();
  vi.useRealTimers();
  await Promise.all([loyalty.stop(), aws.stop()]);
}

function gatherConfidential(): Confidential {
  const confidential = createConfidential();
  for (const { id: _, ...person } of Object.values(persons)) {
    confidential.addPersonal({ customer: person });
  }
  const { token, key } = LOYALTY_CREDENTIALS;
  const header = Buffer.from(`${token}:${key}`).toString('base64');
  for (const secret of [token, key, header, AWS_SECRET]) confidential.addSecret(secret);
  return confidential;
}

/** The sandbox may refuse a call, but must have no internal error. */
function expectSoundSandbox({ loyalty }: Surroundings): void {
  const broken = loyalty.journal
    .entries()
    .filter(({ fault, status = 0 }) => fault === 'crash' || (!fault && status >= 500));
  expect(broken, 'calls on which the sandbox broke').toEqual([]);
}

/** The output holds no personal data and no secret, and CloudWatch accepts every line. */
function expectDiscreetOutput({ output, confidential }: Surroundings): void {
  expect(confidential.texts.size).toBeGreaterThan(20);
  expect(confidential.disclosedIn(output.pieces), 'told in the output').toEqual([]);
  const lines = output.lines();
  expect(lines.length, 'lines of JSON').toBe(output.pieces.length);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) if ('_aws' in line) readMetricLine(line);
}

export const SHOP = 'example-store.myshopify.com';
export const SECOND_SHOP = 'second-store.myshopify.com';

export type RunningSettings = Partial<
  Pick<ConnectorSettings, 'rules' | 'shops' | 'healing' | 'alarms' | 'deployment' | 'storefront'>
> & {
  readonly assumptions?: LoyaltyAssumptions;
  readonly callsPerSecond?: number;
  /** The address for the store's webhooks. */
  readonly webhookAddress?: string;
  /** Go-live is when its ledger was made, and not before all fixtures. */
  readonly isNew?: boolean;
  /** A store over HTTP, instead of the one in memory. */
  readonly adminApi?: { readonly address: string; readonly accessToken: string };
};

type PausedPart = Parameters<typeof withOperatorPause>[1];

interface PostOptions {
  readonly shop?: string;
  readonly webhookId?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

type Delivery = readonly [topic: string, payload: unknown, options?: PostOptions];

export type RunningConnector = Awaited<ReturnType<typeof openConnector>>;

/**
 * The whole connector over HTTP, for the tests of one file: the real functions and SDK clients, the
 * emulators, the loyalty sandbox. Called at the top of the file; each test opens its own.
 *
 * Only `Date` is not real. All parts run in this process, including the queues' visibility, so moving it
 * makes hours of retries pass at once, while time-outs and connections stay real.
 *
 * After each test the sandbox must have had no internal error; after the last one the output is checked.
 */
export function runConnectors(service: PartialSettings = {}, catalog?: Catalog) {
  let surroundings: Surroundings | undefined;
  let opened = 0;
  type Stops = (() => Promise<void>)[];
  const stops: { file: Stops; test: Stops } = { file: [], test: [] };
  let during: keyof typeof stops = 'file';
  const here = () => {
    if (!surroundings) throw new Error('a connector is opened before its emulators run');
    return surroundings;
  };
  beforeAll(async () => {
    surroundings = await startSurroundings(service, catalog);
  });
  beforeEach(() => {
    during = 'test';
  });
  afterEach(async () => {
    for (const stop of stops.test.splice(0).reverse()) await stop();
    expectSoundSandbox(here());
  });
  afterAll(async () => {
    for (const stop of stops.file.splice(0).reverse()) await stop();
    await stopSurroundings(here());
    expectDiscreetOutput(here());
  });
  return {
    async open(settings: RunningSettings = {}) {
      opened += 1;
      vi.setSystemTime(START);
      await here().loyalty.reset();
      return openConnector(here(), `connector-${opened}`, settings);
    },
    /** After this test; after the last one where no test has begun. */
    stopLater: (stop: () => Promise<void>) => void stops[during].push(stop),
  };
}

export type Connectors = ReturnType<typeof runConnectors>;

async function openConnector(
  { aws, loyalty, output, confidential }: Surroundings,
  name: string,
  {
    adminApi,
    webhookAddress,
    assumptions = {},
    callsPerSecond,
    isNew = false,
    ...settings
  }: RunningSettings,
) {
  const connector = defineConnector({
    shops: [{ domain: SHOP }, { domain: SECOND_SHOP }],
    loyalty: {
      address: loyalty.address,
      assumptions,
      ...(callsPerSecond && { callsPerSecond }),
    },
    ...settings,
    // Most tests are about something else than an order's state or age.
    rules: {
      pendingOrders: 'send',
      currency: settings.storefront ? 'EUR' : 'any',
      ...(!isNew && { goLive: BEFORE_ALL_FIXTURES }),
      ...settings.rules,
    },
  });
  for (const { path } of connector.shops) {
    await keepSecret(`${path}/webhook`, { current: webhookSecret(path) }, 'new');
    await keepSecret(`${path}/loyalty`, LOYALTY_CREDENTIALS, 'new');
    const { accessToken } = adminApi ?? {};
    if (accessToken) await keepSecret(`${path}/store`, { accessToken }, 'new');
  }
  if (adminApi) process.env.STORE_SANDBOX_ADDRESS = adminApi.address;
  const store = createMemoryStore();
  const deployment = await deployFunctions(aws, {
    ...{ name, connector, webhookAddress, table: name, secretsPrefix: name },
    store: adminApi ? undefined : store,
  });
  const { functions, queues, ledger } = deployment;
  let deliveries = 0;
  let callsSeen = 0;

  function webhookSecret(path: string): string {
    return `webhook-secret-of-${name}-${path}`;
  }

  /** `example-store/webhook` is the signing secret, `example-store/loyalty` the credentials. */
  async function keepSecret(
    of: string,
    fields: Readonly<Record<string, string>>,
    how: 'new' | 'changed' = 'changed',
  ): Promise<void> {
    const { previousUntil: _, ...secrets } = fields;
    for (const secret of Object.values(secrets)) confidential.addSecret(secret);
    const id = `${name}/${of}`;
    const SecretString = JSON.stringify(fields);
    await (how === 'new'
      ? aws.secrets.send(new CreateSecretCommand({ Name: id, SecretString }))
      : aws.secrets.send(new PutSecretValueCommand({ SecretId: id, SecretString })));
  }

  const opened = {
    name,
    startedAt: START,
    loyalty,
    store,
    output,
    confidential,
    keepSecret,
    webhookSecret,

    send: deployment.send,
    aws,
    deployment,

    /**
     * One signed delivery; returns the status. Sent again on 503, as by the store: a slow machine may exceed
     * the receiver's time-out.
     */
    async post(...[topic, payload, options = {}]: Delivery): Promise<number> {
      deliveries += 1;
      const { shop = SHOP, webhookId = `${name}-webhook-${deliveries}`, headers } = options;
      const path = connector.shops.find(({ domain }) => domain === shop)?.path ?? shop;
      if (!(payload instanceof Uint8Array)) confidential.addPersonal(payload);
      const event = toFunctionUrlEvent({
        path,
        shop,
        topic,
        webhookId,
        triggeredAt: new Date().toISOString(),
        secret: options.secret ?? webhookSecret(path),
        body: payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload)),
        ...(headers && { headers }),
      });
      for (let attempt = 1; ; attempt += 1) {
        const answer = await functions.receiver(event, invocationOf('receive-webhook', 10));
        const status = typeof answer === 'object' ? (answer.statusCode ?? 0) : 0;
        if (status !== 503 || attempt === 3) return status;
      }
    },

    /** A request that another party signed. */
    receive(request: Parameters<typeof invokeWeb>[2]) {
      // Without numbers: an id may contain an invented postal code or telephone number.
      const { email, customer } = JSON.parse(request.body.toString());
      const { first_name, last_name } = customer ?? {};
      confidential.addPersonal({ customer: { email, first_name, last_name } });
      return invokeWeb('receive-webhook', functions.receiver, request);
    },

    /** Delivers webhooks, which must all be accepted, and works on them. */
    async deliver(...all: readonly Delivery[]): Promise<void> {
      for (const delivery of all) expect(await opened.post(...delivery)).toBe(200);
      await opened.settle();
    },

    pass(seconds: number): void {
      vi.setSystemTime(Date.now() + seconds * 1000);
    },

    /** One batch for each worker; returns the number of messages. */
    async work(): Promise<number> {
      opened.pass(0.05);
      return deployment.poll();
    },

    /** Works until the queues are empty, letting time pass where messages wait. */
    async settle(): Promise<void> {
      let idleSeconds = 5;
      for (let round = 0; round < 600; round += 1) {
        if ((await opened.work()) > 0) idleSeconds = 5;
        else if ((await opened.waiting()) === 0) return;
        else {
          opened.pass(idleSeconds);
          idleSeconds = Math.min(idleSeconds * 2, 900);
        }
      }
      throw new Error('the queues do not empty');
    },

    waiting: queues.waiting,

    /** One run of the scheduled function. */
    async reconcile(request: { readonly mode?: 'deep' } = {}, seconds = 300): Promise<void> {
      await functions.reconcile(request, invocationOf('reconcile', seconds));
    },

    /** The dead letters, which stay in their queue. Their attributes are as public as a log. */
    async deadLetters() {
      const letters = await queues.deadLetters();
      opened.pass(2);
      const told = letters.flatMap(({ attributes }) => Object.values(attributes));
      expect(confidential.disclosedIn(told), 'told by dead letters').toEqual([]);
      return letters;
    },

    /** As the command `pause` does. */
    async pauseShop(shop = SHOP, part: PausedPart = 'all'): Promise<void> {
      await changeControl(ledger, shop, (control) =>
        withOperatorPause(control, part, 'a test', new Date()),
      );
    },

    /** As the command `resume` does. */
    async resumeShop(shop = SHOP, part: PausedPart = 'all'): Promise<void> {
      await changeControl(ledger, shop, (control) => resumed(control, part, new Date()));
    },

    /** The content of the ledger's table as one text. */
    async ledgerText(): Promise<string> {
      const { Items } = await aws.dynamoDb.send(new ScanCommand({ TableName: name }));
      return JSON.stringify(Items);
    },

    /** The calls to the loyalty service since the last use of this function. */
    newCalls() {
      const entries = loyalty.journal.entries({ since: callsSeen });
      callsSeen = entries.at(-1)?.n ?? callsSeen;
      return entries;
    },
    newOperations: () => opened.newCalls().map(({ operation }) => operation),
  };

  return opened;
}
