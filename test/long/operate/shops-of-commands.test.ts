import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureOutput } from '../../../local/harness/captured-output.ts';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { answerLogEvents } from '../../../local/stack/gateway/gateway.ts';
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import {
  awsSettings,
  type Deployment,
  QUEUE_OUTPUTS,
} from '../../../scripts/connector/ground/session/deployment.ts';
import { ONE_SHOP, pathOf, setHost } from '../../../scripts/connector/ground/session/run-action.ts';
import { createTerminal } from '../../../scripts/connector/ground/terminal/terminal.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { changeControl } from '../../../shared/core/calls/shop-pause.ts';
import { answerCaller, startAwsGateway } from '../../support/aws-gateway.ts';
import { COMMAND_LINES } from '../../support/command-lines.ts';
import { deployFunctions, startAws } from '../../support/emulated-deployment.ts';
import { invocationOf } from '../../support/event-source.ts';
import { leaveWaiting, tellOf, workDuring } from '../../support/operated-connector.ts';
import { openLine } from '../../support/outside-line.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';
import { createProject } from '../../support/project.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';

const NAMES = ['kestrel', 'plover'] as const;
type Name = (typeof NAMES)[number];

/** All that is a shop's own has its name: domain, path, secrets, products, codes, people, and why something failed. */
const OF = { kestrel: /kestrel|\bEUR\b/i, plover: /plover|\bJPY\b/i };
const CURRENCY = { kestrel: 'EUR', plover: 'JPY' };
const domainOf = (name: Name) => `${name}.myshopify.com`;
const appOf = (name: Name) => ({ clientId: `app-of-${name}`, clientSecret: `signs-for-${name}` });
const loyaltyOf = (name: Name) => ({ token: `token-of-${name}`, key: `key-of-${name}` });
const PREFIX = 'loyalty-connector/prod';
const HOME = process.cwd();

/** One stack of two shops that differ in everything but the ids of what they have. */
async function openWorld() {
  const connector = defineConnector({
    shops: NAMES.map((name) => ({ domain: domainOf(name), path: `${name}-hooks` })),
    loyalty: { address: 'https://loyalty.example.com' },
    rules: { goLive: '2020-01-01', pendingOrders: 'send', sharedAccount: false },
    storefront: {},
  });
  const secrets = NAMES.map((name) => ({
    [`${PREFIX}/${name}-hooks/webhook`]: JSON.stringify({ current: appOf(name).clientSecret }),
    [`${PREFIX}/${name}-hooks/loyalty`]: JSON.stringify(loyaltyOf(name)),
    [`${PREFIX}/${name}-hooks/store`]: JSON.stringify(appOf(name)),
    // As a deployment leaves it.
    [`${PREFIX}/${name}-hooks/points`]: '{3x"&,Yp)]k7:v|1}q#T0^L~w9/Zr@e8',
  }));
  const aws = await startAws({ secrets: Object.assign({}, ...secrets) });
  const openShop = async (name: Name) => ({
    store: await startStoreSandbox({
      shop: { domain: domainOf(name), currency: CURRENCY[name] },
      ...{ clientId: appOf(name).clientId, secret: appOf(name).clientSecret, sample: false },
      settings: { bucketSize: 20_000, restorePerSecond: 1_000 },
    }),
    account: await startLoyaltySandbox({ settings: { credentials: loyaltyOf(name) } }),
  });
  const shops = { kestrel: await openShop('kestrel'), plover: await openShop('plover') };
  const sandboxes = NAMES.flatMap((name) => [shops[name].store, shops[name].account]);
  const storeAddress = NAMES.map((name) => shops[name].store.address).join(' ');
  const loyaltyAddress = NAMES.map((name) => shops[name].account.address).join(' ');
  process.env.STORE_SANDBOX_ADDRESS = storeAddress;
  process.env.LOYALTY_SANDBOX_ADDRESS = loyaltyAddress;
  const settings = { name: 'connector', table: 'ledger', secretsPrefix: PREFIX, connector };
  const { queues, functions, ledger, send, poll } = await deployFunctions(aws, settings);
  const { sqs, endpoints } = aws;
  const output = captureOutput();
  const outside = await openLine({
    ...{ ledger: endpoints.dynamodb, queue: endpoints.sqs, secrets: endpoints.secretsmanager },
    ...{ loyalty: '', store: '' },
  });
  const asked: string[] = [];
  const gateway = await startAwsGateway({
    ...{ dynamodb: outside.addresses.ledger, sqs: outside.addresses.queue, sts: answerCaller },
    secretsmanager: outside.addresses.secrets,
    logs({ text }, response) {
      const lines = output.lines().map((one) => ({
        ...{ at: Date.parse(String(one.at)), text: JSON.stringify(one) },
      }));
      response.end(answerLogEvents(() => lines.filter(({ at }) => at > 0), text).body);
    },
    lambda({ text }, response) {
      const request = JSON.parse(text);
      // It would do nothing, and the command would wait a quarter of an hour for a record of it.
      const isKnown = connector.shops.some(({ domain }) => domain === (request.shop ?? domain));
      asked.push(`reconcile of ${isKnown ? 'a shop' : 'no shop'}: ${text}`);
      if (isKnown) void functions.reconcile(request, invocationOf('reconcile', 900));
      response.writeHead(isKnown ? 202 : 400).end();
    },
  });
  const urls = Object.entries(queues.urls).map(([family, { url, deadLetterUrl }]) => {
    const { queue, letters } = QUEUE_OUTPUTS[family as keyof typeof QUEUE_OUTPUTS];
    return { [queue]: url, [letters]: deadLetterUrl };
  });
  const outputs: Readonly<Record<string, string>> = Object.assign(
    { LedgerTable: 'ledger', SecretsPrefix: PREFIX, WebhookAddress: 'https://hooks.example.com' },
    ...['Points', 'Storefront'].map((one) => ({ [`${one}Address`]: `https://${one}.example.com` })),
    ...urls,
  );
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator-secret' };
  const place = { stage: 'prod', stack: 'loyalty-connector-prod', region: 'us-east-1' };
  const deployment: Deployment = {
    ...{ where: 'local', ...place, version: VERSION, connector },
    aws: awsSettings({ region: place.region, endpoint: gateway.endpoint, credentials }),
    output: (name) => outputs[name] ?? name,
    sandbox: { storeAddress, loyaltyAddress, metricsAddress: gateway.endpoint },
  };

  function sell(name: Name) {
    const { actions } = shops[name].store;
    const person = { firstName: name, lastName: 'Wren', email: `${name}@example.org` };
    const { id: customerId } = actions.createCustomer(person);
    const lines = [{ title: `Shirt of ${name}`, price: 60 }];
    const { id, number } = actions.placeOrder({ lines, customerId, payment: 'paid' });
    actions.fulfilOrder({ orderId: id });
    return { id, number, customerId };
  }

  async function leaveWaits(): Promise<void> {
    for (const name of NAMES) {
      const seller = { sell: () => sell(name), send, sqs, queues, ledger };
      await leaveWaiting(seller, { why: 'loyalty-unavailable' }, new Date(), domainOf(name));
    }
  }

  async function leaveLetters(): Promise<void> {
    for (const name of NAMES) {
      const why = `sendOrder was refused by ${name}`;
      const letters = ['1', '2'].map((id) => ({
        event: letterEvent({ shop: domainOf(name), id, deliveryId: `${name}-${id}` }),
        reason: letterReason({ why, at: new Date().toISOString() }),
      }));
      await parkLetters(sqs, queues.urls.orders.deadLetterUrl, letters, {
        ledger,
        family: 'orders',
      });
    }
  }

  async function observe(): Promise<void> {
    const observing = Date.now() - 3_600_000;
    for (const name of NAMES) {
      await changeControl(ledger, domainOf(name), (control) => ({ ...control, observing }));
    }
  }

  async function work(): Promise<void> {
    for (let idle = 0; idle < 3; ) idle = (await poll()) === 0 ? idle + 1 : 0;
  }

  const sold = NAMES.map(sell);
  for (const [index, name] of NAMES.entries()) {
    const { actions } = shops[name].store;
    actions.createProduct({ title: `Hat of ${name}`, price: 20 });
    actions.createDiscount({ percentage: 10, codes: [`${name}10`] });
    await tellOf({ send }, 'order', sold[index]?.id ?? '', domainOf(name));
    const book = { shop: domainOf(name), customerId: '7012345' };
    await leaveStuckRedemption(ledger, book, { title: `Gift of ${name}` });
  }
  await work();
  await leaveLetters();
  // What these commands take away.
  const renewals: Readonly<Record<string, () => Promise<unknown>>> = {
    ...{ 'retry-now': leaveWaits, 'dead-letters replay': leaveLetters },
    ...{ 'dead-letters drop': leaveLetters, 'go-live': observe },
  };

  /** All that a command asked of AWS, of each store and of each account, and all that it said; workers at work. */
  async function run(path: string, words: readonly string[], input = '') {
    await renewals[path]?.();
    const said: unknown[] = [];
    let code: number | undefined;
    const program = createProgram();
    setHost(program, {
      createTerminal: () => ({
        ...createTerminal({ quiet: true }),
        note: (note) => void said.push(note),
      }),
      showDocument: (document) => said.push(document),
      findDeployment: async () => deployment,
      onInterruption: () => {},
      reportProblem: (problem) => said.push(problem),
      end(ended) {
        code = ended;
      },
    });
    const journals = NAMES.flatMap((name) =>
      (['store', 'account'] as const).map((which) => {
        const { journal } = shops[name][which];
        return { journal, before: journal.entries().length, what: `${which} of ${name}` };
      }),
    );
    const files = new Set(filesNow());
    outside.calls.length = 0;
    asked.length = 0;
    Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
    await workDuring(program.parseAsync(words, { from: 'user' }), work);
    const told = journals.flatMap(({ journal, before, what }) =>
      journal
        .entries()
        .slice(before)
        .map(({ operation }) => `${what}: ${operation}`),
    );
    const calls = outside.calls.map(({ name, body }) => `${name} ${body}`);
    const written = filesNow().filter((one) => !files.has(one));
    const shown = said.map((one) => JSON.stringify(one));
    return { code, told: [...told, ...asked, ...calls, ...written, ...shown] };
  }

  async function close(): Promise<void> {
    output.stop();
    await Promise.all([outside.close(), ...[gateway, aws, ...sandboxes].map((one) => one.stop())]);
  }
  return { sold, run, close };
}

let world: Awaited<ReturnType<typeof openWorld>>;
const folder = createProject('shops-of-commands');
const filesNow = () => readdirSync(folder, { recursive: true }).map(String);
beforeAll(async () => {
  world = await openWorld();
  writeFileSync(`${folder}/points.csv`, `customer,points\n${world.sold[0]?.customerId},5\n`);
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(HOME);
  await world.close();
  rmSync(folder, { recursive: true });
});

const allOf = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(allOf),
];
const OPTIONS = new Map(
  allOf(createProgram()).flatMap((command) => {
    const option = command.options.find(({ long }) => long === '--shop');
    return option ? [[pathOf(command), option.description] as const] : [];
  }),
);
/** These prepare a project or a deployment, and ask a person. */
const COMMANDS = [...OPTIONS.keys()].filter((path) => !['init', 'setup'].includes(path));

/** A line whose ids both shops have. */
function wordsFor(path: string): readonly string[] {
  const [{ id = '', number = 0, customerId = '' } = {}] = world.sold;
  const own: Readonly<Record<string, string>> = {
    trace: `trace order ${id}`,
    resend: `resend order #${number} --force --yes --wait`,
    'retry-now': 'retry-now --wait 0',
    'app write': 'app write',
    // What they begin takes minutes: only what it would be is shown.
    ...{ recover: 'recover', 'go-live': 'go-live --no-other' },
    'import balances': 'import balances points.csv --yes',
    'privacy show': `privacy show ${customerId} --reveal`,
    'privacy erase': `privacy erase ${customerId} --yes`,
    'dead-letters list': 'dead-letters list --limit 25',
  };
  return (own[path] ?? COMMAND_LINES[path] ?? path).split(' ');
}

it('the shops have orders and customers of the same ids', () => {
  expect(world.sold[0]).toEqual(world.sold[1]);
});

const ORDER = () => `${world.sold[0]?.id}`;
const CUSTOMER = () => `${world.sold[0]?.customerId}`;
const LETTERS = ['dead-letters list', 'dead-letters replay', 'dead-letters drop --because test'];
const NONE = /"(?:matching|wouldDrop)":0/;

/** By line, without and with each of its options, and what only the second says, asks or sends. */
const SHOWN_BY: readonly (readonly [
  line: string | (() => string),
  option: string,
  shown: RegExp,
])[] = [
  ...LETTERS.flatMap((path) =>
    ['--kind product', '--queue products', '--id nobody', '--code None', '--reason crashed']
      .concat('--text nothing', '--delivered yes', '--since 0s', '--until 2000-01-01')
      .map((option) => [path, option, NONE] as const),
  ),
  ['dead-letters list', '--limit 1', /"letters":\[/],
  ['dead-letters replay', '--limit 1', /"wouldSend":1,/],
  ['pause', '--queue orders', /Pause orders of/],
  ['pause', '--because testing', /"because":"testing"/],
  ['pause', '--for 2h', /for 2h/],
  ['resume', '--queue orders', /(?:changed: |Resume )orders of/],
  [() => `resend order ${ORDER()} --yes`, '--force', /SendMessageBatch .*force/],
  [() => `resend order ${ORDER()} --yes --force`, '--new-rules', /SendMessageBatch .*newRules/],
  [() => `resend order ${ORDER()} --yes --force`, '--wait', /"outcomes":\{"/],
  ['reconcile', '--deep', /reconcile of a shop: .*"mode":"deep"/],
  ['recover', '--since 2026-11-01', /"since":"2026-11-01T00:00/],
  ['recover', '--go-live 2026-11-02', /"go-live":"2026-11-02T00:00/],
  ['recover', '--other-off-since 2026-11-03', /"other-off-since":"2026-11-03T00:00/],
  ['backfill products --again', '--since 2026-11-01', /from 2026-11-01 until/],
  ['backfill products --again', '--rate 3', /at 3\/s/],
  ['backfill products', '--again', /"dryRun":true/],
  ['import balances points.csv', '--name other', /"name":"other"/],
  ['import balances points.csv --name other', '--per-second 3', /at 3\/s/],
  ['import balances points.csv --name other', '--check', /The file has/],
  ['import balances points.csv', '--undo', /Take back 5/],
  [() => `trace order ${ORDER()}`, '--reveal', /@example\.org/],
  [() => `privacy show ${CUSTOMER()}`, '--reveal', /@example\.org/],
  ['compare orders --since 24h', '--csv compared.csv', /^compared\.csv$/m],
  ['compare orders --since 24h', '--since 0s', /No order changed/],
  ['audit --since 24h', '--no-sides', /\(--no-sides\)/],
  ['audit --since 24h --no-sides', '--until 2020-01-02', /to 2020-01-02 00:00/],
  ['doctor', '--all', /Replace the loyalty secret/],
  ...['--since 0s', '--until 2020-01-01', '--command nonsense', '--who nobody'].map(
    (option) => ['history', option, /No such change/] as const,
  ),
  ['history', '--limit 1', /"limit":1\b/],
  ['storefront setup', '--rotate', /Create a new token"/],
  ['storefront setup', '--leaked', /end the others"/],
  // Last: the shops wait for it then.
  ['go-live', '--no-other', /"changed":false/],
  ['go-live', '--other-off-since 2026-11-03', /"other-off-since":"2026-11-03T00:00/],
  ['go-live --no-other', '--from 2026-11-02', /rules\.goLive is 2020-01-01/],
];

it('what others go on with is there', async () => {
  for (const line of ['backfill products', 'import balances points.csv', 'storefront setup']) {
    const words = [...line.split(' '), '--yes', '--shop', domainOf('kestrel')];
    const { code, told } = await world.run(line, words);
    expect([0, 3], told.at(-1)).toContain(code);
  }
});

it.each(SHOWN_BY)(
  '%s %s is asked for and shown, and kept in the line to agree to',
  async (given, option, shown) => {
    const path = typeof given === 'string' ? given : given();
    const longest = [...OPTIONS.keys()].toSorted((one, other) => other.length - one.length);
    const command = longest.find((one) => `${path} `.startsWith(`${one} `)) ?? path;
    const shop = OPTIONS.has(command) ? ['--shop', domainOf('kestrel')] : [];
    const run = (words: string) => world.run(command, [...words.split(' '), ...shop]);
    const [before, after] = [await run(path), await run(`${path} ${option}`)];
    expect(after.told.join('\n')).toMatch(shown);
    expect(before.told.join('\n')).not.toMatch(shown);
    const [, long = ''] = /^--(?:no-)?([\w-]+)/.exec(option) ?? [];
    const agreed = after.told.flatMap(
      (one) => one.match(/\{"command":[^{}]*\{[^{}]*"yes":true[^{}]*\}/g) ?? [],
    );
    const own = agreed.filter((one) => one.startsWith(`{"command":"${command}"`));
    for (const line of own) expect(line).toContain(long);
  },
);

it.each(COMMANDS)('%s --shop asks, changes and shows what is of that shop alone', async (path) => {
  const isByPath = /path/.test(OPTIONS.get(path) ?? '');
  for (const [name, other, given] of [
    ['kestrel', 'plover', domainOf('kestrel')],
    ['plover', 'kestrel', isByPath ? 'plover-hooks' : domainOf('plover')],
  ] as const) {
    const words = [...wordsFor(path), '--shop', given];
    const { code, told } = await world.run(path, words, JSON.stringify(loyaltyOf(name)));
    const ofOther = told.flatMap((one) => {
      // Of all dead letters: which were delivered since.
      const isRead = path.startsWith('dead-letters') && one.startsWith('BatchGetItem');
      const at = isRead ? -1 : one.search(OF[other]);
      return at < 0 ? [] : `${one.slice(0, 40)} … ${one.slice(Math.max(0, at - 80), at + 80)}`;
    });
    expect(ofOther, words.join(' ')).toEqual([]);
    expect(told.filter((one) => OF[name].test(one))).not.toEqual([]);
    expect([0, 1, 3, 4], told.at(-1)).toContain(code);
    expect(told.join()).not.toMatch(/This error is unexpected|reconcile of no shop/);
  }
});

it.each(COMMANDS)('%s without --shop is about every shop, or asks which one', async (path) => {
  const words = wordsFor(path).filter((word) => word !== '--yes');
  const { code, told } = await world.run(path, words);
  for (const name of NAMES) expect(told.join(), path).toMatch(OF[name]);
  if (OPTIONS.get(path) === ONE_SHOP[1])
    expect([code, told.join()]).toEqual([2, expect.stringContaining('give --shop')]);
});
