import { spawn } from 'node:child_process';
import { once as happens } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector } from '../../shared/config/connector-config.ts';
import type { Healing } from '../../shared/config/connector-settings.ts';
import { findProject } from '../../shared/config/folders.ts';
import { DataFileError } from '../sandbox-kit/data-file.ts';
import { readJsonObject } from '../sandbox-kit/http/requests.ts';
import { hostedPages } from '../storefront-demo/demo.ts';
import { type ChosenSettings, chooseSettings } from './choose-settings.ts';
import { compare } from './demo/compare.ts';
import { type DayParts, openStore, playDay } from './demo/day.ts';
import type { LogLine } from './functions/log-groups.ts';
import { type RunningStack, startStack } from './running-stack.ts';
import { portsFrom, requireFreePorts, type StartOptions } from './start-options.ts';
import type { RunningShop } from './start-sandboxes.ts';
import { writeStateFile } from './state-file.ts';
import { type AssemblyFolder, CannotStart, openAssemblyFolder, synthesize } from './synthesize.ts';
import { UnknownInTemplate } from './template/template.ts';

/** Whether it says that an attempt failed and will be repeated. */
function isFailedAttempt({ text }: Pick<LogLine, 'text'>): boolean {
  return readJsonObject(text)?.message === 'will be tried again';
}

/** A sentence for one line of a function's log; undefined for lines without news. */
function narrate({ text }: Pick<LogLine, 'text'>): string | undefined {
  const fields = readJsonObject(text);
  if (!fields) return /Task timed out/.test(text) ? text : undefined;
  const { message, service } = fields;
  if ('_aws' in fields || typeof message !== 'string' || typeof service !== 'string') {
    return undefined;
  }
  const what = fields.kind === undefined ? '' : `${fields.kind} ${fields.id}`;
  const line = (happened: string) => `${service.padEnd(16)} ${what.padEnd(24)} ${happened}`;
  switch (message) {
    case 'received':
      return line(`arrived: ${fields.topic}`);
    case 'applied':
      return line(fields.calls === '' ? 'brought to the store' : `sent: ${fields.calls}`);
    case 'unchanged':
      return line('unchanged, nothing to send');
    case 'superseded':
      return line('superseded: a newer state was already sent');
    case 'skipped':
      return line(`skipped: ${fields.why}`);
    case 'handled':
      return line(`handled: ${fields.how}`);
    case 'will be tried again': {
      const what = fields.heldBack ? 'held back' : `try ${fields.tries} failed`;
      return line(`${what} (${fields.why}), again in ${fields.afterSeconds} s`);
    }
    case 'parked in the dead-letter queue':
      return line(`PARKED for a person: ${fields.reason ?? fields.why ?? ''}`);
    default:
      return fields.level === 'info' ? undefined : line(message);
  }
}

/** Between two checks of the queues. */
const PAUSE_MS = 100;

/**
 * Waits until the stores have delivered every webhook and the queues are empty. Returns how many webhooks
 * and messages are left after the timeout: 0 when all is done.
 */
export async function settle(
  { shops, waiting }: Pick<RunningStack, 'shops' | 'waiting'>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const end = Date.now() + timeoutMs;
  const undelivered = () =>
    shops.flatMap(({ store }) => store.deliveries.all()).filter(({ state }) => state === 'waiting')
      .length;
  for (;;) {
    // Deliveries first: a webhook that is delivered between the two counts is then on a queue.
    const left = undelivered() + (await waiting());
    if (left === 0 || Date.now() > end || signal?.aborted) return left;
    await sleep(PAUSE_MS);
  }
}

/** For everything that the day caused, including retries after the outage. */
const SETTLE_TIMEOUT_MS = 120_000;

const say = (text: string): void => {
  process.stdout.write(`${escapeControls(text)}\n`);
};

/** A text of the store, such as a coupon's code, must not move the cursor or hide what follows. */
export function escapeControls(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const sayAt = (text: string): void => say(`${new Date().toISOString().slice(11, 19)}  ${text}`);

/** Serves the console of the stack that has just started; undefined when commands find another stack. */
type OpenConsole = (
  say: (text: string) => void,
) => Promise<{ readonly address: string; stop(): Promise<void> } | undefined>;

/** Runs the stack until it is stopped, or with `--once` until the comparison. Returns the exit code. */
export async function runStack(options: StartOptions, openConsole: OpenConsole): Promise<number> {
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolveStop) => {
    stopping.signal.addEventListener('abort', () => resolveStop());
  });
  const onSignal = () => {
    // A second Ctrl-C does not wait for the clean-up.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  // When the reader of the output ends (`npm start | head`), no Ctrl-C would come.
  process.stdout.removeAllListeners('error').on('error', () => stopping.abort());
  let stack: RunningStack | undefined;
  let removeStateFile = () => {};
  let opened: Awaited<ReturnType<OpenConsole>>;
  const project = findProject();
  const folder = openAssemblyFolder(join(project, '.connector'));
  try {
    await requireFreePorts(options.port);
    const settings = await chooseSettings(options, { project, folder: folder.path });
    stack = await start(options, settings, { project, folder }, stopping.signal);
    const state = writeStateFile(stack, { stage: options.stage, settings: settings.file }, project);
    if (state.kind === 'written') removeStateFile = state.remove;
    else
      say(
        `npx loyalty-connector uses the stack of process ${state.pid}, which was started before this one.`,
      );
    // Before the day is played: a person may want to watch it.
    if (state.kind === 'written' && !options.once) opened = await openConsole(sayAt);
    if (opened) {
      say(`The console, to watch: ${opened.address}`);
      // Without the token, which opens it once: in that browser the other pages lead back to it.
      stack.neighbours.console = new URL('/', opened.address).href;
    }
    const isInSync = options.demo
      ? await demonstrate(stack, settings.connector, {
          pace: options.once ? 'fast' : 'to-read-along',
          // The command would find the other stack.
          retryNow: state.kind === 'written' ? retryNow : async () => {},
          signal: stopping.signal,
        })
      : undefined;
    if (options.once) return isInSync ? 0 : notInSync(stopping.signal);
    if (!stopping.signal.aborted)
      say(options.isNew ? greetNew(stack) : greet(stack, opened?.address));
    await stopped;
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return options.once ? notInSync(stopping.signal) : 0;
    process.stderr.write(`${explain(error, options.port)}\n`);
    return 1;
  } finally {
    removeStateFile();
    if (stack) {
      if (stopping.signal.aborted) say('Stopping.');
      await opened?.stop();
      await stack.stop();
    }
    folder.remove();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** A run that was stopped before the comparison is not in sync either; shells use 130 for Ctrl-C. */
const notInSync = ({ aborted }: AbortSignal): number => (aborted ? 130 : 1);

async function start(
  { stage, port, data: given, isNew }: StartOptions,
  { connector, file, addsStorefront }: ChosenSettings,
  { project, folder }: { readonly project: string; readonly folder: AssemblyFolder },
  signal: AbortSignal,
): Promise<RunningStack> {
  const dataFolder = given === undefined ? undefined : resolve(given);
  if (dataFolder !== undefined) mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  say(`Starting the stack of stage ${stage}: synthesizing the template, bundling the functions.`);
  if (addsStorefront)
    say('The settings have no storefront. It is switched on here, so that you can try it.');
  const synthesis = new AbortController();
  const abort = () => synthesis.abort();
  signal.addEventListener('abort', abort);
  const assembly = synthesize(stage, join(folder.path, 'cdk.out'), {
    project,
    settings: file,
    signal: synthesis.signal,
  });
  // startStack awaits it; until then a rejection must not count as unhandled.
  assembly.catch(() => {});
  try {
    return await startStack({
      connector,
      assembly,
      ports: portsFrom(port),
      ...(dataFolder !== undefined && { dataFolder }),
      isNew,
      onProblem: (problem) => sayAt(problem),
    });
  } catch (error) {
    abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Whether the store and the loyalty service agree in the end. */
async function demonstrate(
  stack: RunningStack,
  { healing }: Connector,
  how: Pick<DayParts, 'pace' | 'retryNow' | 'signal'>,
): Promise<boolean> {
  const { signal } = how;
  const { promise: attemptFailed, resolve: failed } = Promise.withResolvers<void>();
  stack.logs.onLine((line) => {
    if (isFailedAttempt(line)) failed();
    const sentence = narrate(line);
    if (sentence !== undefined) sayAt(`  ${sentence}`);
  });
  const isNew = stack.store.rows.orders.size === 0;
  if (!isNew) say('Continuing with the data of the last run.');
  const { shop, shops } = stack;
  if (shops.length > 1) say(`The day is played in the first shop of the settings: ${shop.domain}.`);
  openStore({ store: stack.store, say: sayAt });
  if (isNew) {
    const settled = () => settle(stack, SETTLE_TIMEOUT_MS, signal);
    await playDay({ ...stack, say: sayAt, attemptFailed, settled, ...how });
    sayAt('The shop closes. Waiting until everything in progress is done.');
  }
  const left = await settle(stack, SETTLE_TIMEOUT_MS, signal);
  if (signal.aborted) return false;
  return report(stack, left, healing);
}

/** The command, as in another terminal; never for a deployed stack that the environment names. */
async function retryNow(): Promise<void> {
  const { CONNECTOR_STACK: _, ...env } = process.env;
  const [node = '', commandLine = ''] = process.argv;
  const child = spawn(node, [commandLine, 'retry-now'], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await happens(child, 'close');
}

async function report(
  stack: RunningStack,
  left: number,
  { productChanges }: Healing,
): Promise<boolean> {
  const { orders, products, coupons, differences } = await compare(
    stack,
    stack.shop,
    new Date(),
    productChanges,
  );
  const calls = stack.loyalty.journal.entries().length;
  const deliveries = stack.store.deliveries.all().length;
  say(`\n${deliveries} webhooks were delivered, ${calls} calls reached the loyalty service.`);
  if (stack.shop.mode === 'observe') {
    say(
      `${stack.shop.domain} is observed: nothing was sent. What would be: compare orders --since 1d`,
    );
    return left === 0;
  }
  for (const difference of differences) say(`differs: ${difference}`);
  if (left > 0) say(`still in progress: ${left} webhooks and messages`);
  if (differences.length > 0 || left > 0) {
    say(`NOT in sync: ${differences.length} differences`);
    return false;
  }
  say(`in sync: ${orders} orders, ${products} products, ${coupons} coupons`);
  return true;
}

/** Why the stack could not start, for the user. */
function explain(error: unknown, firstPort: number): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use, perhaps by another stack. Stop that stack, or give another --port than ${firstPort}.`;
  }
  if (code === 'EACCES' && port !== undefined) {
    return `This user may not listen on port ${port}. Give a --port above 1023.`;
  }
  if (code === 'LEVEL_LOCKED' || code === 'LEVEL_DATABASE_NOT_OPEN') {
    return 'Another stack uses the folder given with --data. Stop that stack, or give another folder.';
  }
  const hasClearMessage =
    error instanceof CannotStart ||
    error instanceof UnknownInTemplate ||
    error instanceof DataFileError;
  return hasClearMessage ? error.message : (error.stack ?? error.message);
}

/** The addresses of the running stack, and what to try next. */
export function greet(stack: RunningStack, consoleAddress: string | undefined): string {
  const { domain } = stack.shop;
  const ofShop = stack.shops.length > 1 ? ` --shop ${domain}` : '';
  const { administrator } = stack.keys;
  const [order] = stack.store.rows.orders.values();
  return `
Stack ${stack.name} is running on this machine.

Pages for a browser:

${list([...consolePage(consoleAddress), ...shopPages(stack), ...stack.shops.flatMap(sandboxPages)])}

Addresses for programs:

${list([
  ...stack.shops.flatMap(programAddresses),
  ['AWS', stack.endpoint, 'SQS, DynamoDB, Secrets Manager, Lambda'],
])}

Change something in the store with the buttons on its page, or send a signed webhook:

  npx loyalty-connector send${ofShop}

See the state of the connector: npx loyalty-connector status
${order === undefined ? '' : `See the history of one order: npx loyalty-connector trace order ${order.id}${ofShop}\n`}
Read the queues, the ledger and the secrets with the AWS CLI:

  export AWS_ENDPOINT_URL=${stack.endpoint} AWS_REGION=us-east-1 \\
    AWS_ACCESS_KEY_ID=${administrator.accessKeyId} AWS_SECRET_ACCESS_KEY=${administrator.secretAccessKey}

Ctrl-C stops everything.
`;
}

type Place = readonly [name: string, address: string, note?: string];

function list(places: readonly Place[]): string {
  return places
    .map(([name, address, note]) => {
      const line = `  ${name.padEnd(16)} ${address}`;
      return note === undefined ? line : `${line}   (${note})`;
    })
    .join('\n');
}

function consolePage(address: string | undefined): Place[] {
  return address === undefined ? [] : [['the console', address, 'opens once; look here first']];
}

/** Only the first shop has them, and only with a storefront. */
function shopPages({ shopAddress }: RunningStack): Place[] {
  if (shopAddress === undefined) return [];
  return [
    ['the shop', shopAddress, 'buy, and see the points arrive'],
    ...hostedPages.map(
      ({ path, label, note }): Place => [label.toLowerCase(), `${shopAddress}${path}`, note],
    ),
  ];
}

function sandboxPages({ shop, store, loyalty }: RunningShop): Place[] {
  return [
    ['the store', store.address, `orders, products and buttons; shop ${shop.domain}`],
    ['loyalty service', `${loyalty.address}/state`, 'points, orders and every call'],
  ];
}

function programAddresses({ loyalty, webhookAddress, webhookSecret }: RunningShop): Place[] {
  const { token, key } = loyalty.credentials;
  return [
    ['webhooks', webhookAddress, `secret ${webhookSecret}`],
    ['loyalty service', loyalty.address, `${token}:${key}`],
  ];
}

/** What a person who sets it up would find on the pages of the store and of the loyalty service. */
export function greetNew({ name, shops }: Pick<RunningStack, 'name' | 'shops'>): string {
  return `
Stack ${name} is running on this machine, as after a first deployment. Set it up, in another terminal:

  npx loyalty-connector setup

It asks for these values of the sandboxes:

${shops.map((one) => valuesOf(one, shops.length > 1)).join('\n\n')}

Ctrl-C stops everything.
`;
}

function valuesOf({ shop, store, loyalty }: RunningShop, isNamed: boolean): string {
  const { clientId, clientSecret } = store.credentials;
  const { token, key } = loyalty.credentials;
  return `  client id        ${clientId}
  client secret    ${clientSecret}
  loyalty token    ${token}
  loyalty key      ${key}

  the store        ${store.address}   (a page with buttons${isNamed ? `; shop ${shop.domain}` : ''})
  loyalty service  ${loyalty.address}/state`;
}
