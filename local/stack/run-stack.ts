import { spawn } from 'node:child_process';
import { once as happens } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProject, listenFault } from '../../shared/config/folders.ts';
import { DataFileError } from '../sandbox-kit/data-file.ts';
import { readJsonObject } from '../sandbox-kit/http/requests.ts';
import { readKept } from '../secrets-emulator.ts';
import { installVendure, VendureEngine } from '../vendure-engine/engine.ts';
import { type ChosenSettings, chooseSettings } from './choose-settings.ts';
import { compare } from './demo/compare.ts';
import type { DayParts } from './demo/day.ts';
import { type Place, type ShownStore, showSandbox } from './demo/shown-store.ts';
import { showVendure, withServer } from './demo/vendure.ts';
import type { LogLine } from './functions/log-groups.ts';
import { type RunningStack, startStack } from './running-stack.ts';
import { freePort, portsFrom, requireFreePorts, type StartOptions } from './start-options.ts';
import type { StackOptions } from './start-parts.ts';
import { hasSandbox, type RunningShop } from './start-sandboxes.ts';
import { writeStateFile } from './state-file.ts';
import { type AssemblyFolder, CannotStart, openAssemblyFolder, synthesize } from './synthesize.ts';
import { UnknownInTemplate } from './template/template.ts';

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
      return line(fields.calls === '' ? 'written to the store' : `sent: ${fields.calls}`);
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
    case 'waits for its next step':
      return line(`waits ${fields.afterSeconds} s for its next step`);
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
  port: number,
  say: (text: string) => void,
) => Promise<{ readonly address: string; stop(): Promise<void> } | undefined>;

/** Runs the stack until it is stopped, or with `--once` until the comparison. Returns the exit code. */
export async function runStack(options: StartOptions, openConsole: OpenConsole): Promise<number> {
  const stopping = new AbortController();
  const stopped = happens(stopping.signal, 'abort');
  const onSignal = () => {
    // A second Ctrl-C does not wait for the clean-up.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  // When the reader of the output ends (`npm start | head`), no Ctrl-C would come.
  process.stdout.removeAllListeners('error').on('error', () => stopping.abort());
  let stack: RunningStack | undefined;
  let engine: VendureEngine | undefined;
  let removeStateFile = () => {};
  let opened: Awaited<ReturnType<OpenConsole>>;
  const project = findProject();
  const folder = openAssemblyFolder(join(project, '.connector'));
  try {
    await requireFreePorts(options.port);
    const vendurePort =
      options.store === 'vendure' ? portsFrom(options.port).store || (await freePort()) : undefined;
    const folders = { project, folder: folder.path };
    const settings = await chooseSettings(options, folders, vendurePort);
    if (vendurePort !== undefined) {
      const data = join(resolve(options.data ?? folder.path), 'vendure.sqlite');
      engine = new VendureEngine(await installVendure(say, stopping.signal), data, vendurePort);
      engine.onCrash = (log) => stopping.signal.aborted || sayAt(`Vendure ended. It said:\n${log}`);
    }
    // No sandbox knows the access to a server of one's own: it is kept, not made up.
    const isOwn = !engine && !settings.connector.shops.some(hasSandbox);
    const isNew = options.isNew || isOwn;
    const secretsFile =
      isOwn && options.data !== undefined
        ? join(resolve(options.data), 'stored-secrets.json')
        : undefined;
    // Each shop has three: webhook, loyalty and store.
    const stored = Object.keys(secretsFile === undefined ? {} : readKept(secretsFile)).length;
    const isSetUp = stored >= 3 * settings.connector.shops.length;
    const chosen = { ...options, isNew, secretsFile };
    stack = await start(chosen, settings, { project, folder }, stopping.signal);
    if (engine) stack = withServer(stack, engine);
    const store = engine
      ? await showVendure(engine, stack)
      : showSandbox(stack, settings.connector.healing.productChanges);
    const state = writeStateFile(stack, { stage: options.stage, settings: settings.file }, project);
    if (state.kind === 'written') removeStateFile = state.remove;
    else
      say(
        `npx loyalty-connector uses the stack of process ${state.pid}, which was started before this one.`,
      );
    // Before the day is played: a person may want to watch it.
    if (state.kind === 'written' && !options.once)
      opened = await openConsole(portsFrom(options.port).console, sayAt);
    if (opened) {
      say(`The console, to watch: ${opened.address}`);
      // Without the token, which opens it once: in that browser the other pages lead back to it.
      stack.neighbours.console = new URL('/', opened.address).href;
    }
    const isInSync = options.demo
      ? await demonstrate(stack, store, {
          pace: options.once ? 'fast' : 'to-read-along',
          // The command would find the other stack.
          retryNow: state.kind === 'written' ? retryNow : async () => {},
          signal: stopping.signal,
        })
      : undefined;
    if (options.once) return isInSync ? 0 : notInSync(stopping.signal);
    if (!stopping.signal.aborted)
      say(isNew ? greetNew(stack, isSetUp) : await greet(stack, store, opened?.address));
    await stopped;
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return options.once ? notInSync(stopping.signal) : 0;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  } finally {
    removeStateFile();
    if (stack) {
      if (stopping.signal.aborted) say('Stopping.');
      await opened?.stop();
      await engine?.kill();
      await stack.stop();
    }
    folder.remove();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** A run that was stopped before the comparison is not in sync either; shells use 130 for Ctrl-C. */
const notInSync = ({ aborted }: AbortSignal): number => (aborted ? 130 : 1);

async function start(
  {
    stage,
    port,
    data: given,
    isNew,
    store,
    secretsFile,
  }: StartOptions & Pick<StackOptions, 'secretsFile'>,
  { connector, file, addsStorefront }: ChosenSettings,
  { project, folder }: { readonly project: string; readonly folder: AssemblyFolder },
  signal: AbortSignal,
): Promise<RunningStack> {
  const dataFolder = given === undefined ? undefined : resolve(given);
  if (dataFolder !== undefined) mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  say(`Starting the stack of stage ${stage}: synthesizing the template, bundling the functions.`);
  if (addsStorefront)
    say('The settings have no storefront; this run switches it on, so that you can try it.');
  const synthesis = new AbortController();
  const assembly = synthesize(stage, join(folder.path, 'cdk.out'), {
    project,
    settings: file,
    signal: AbortSignal.any([signal, synthesis.signal]),
  });
  // startStack awaits it; until then a rejection must not count as unhandled.
  assembly.catch(() => {});
  try {
    return await startStack({
      connector,
      assembly,
      // The Vendure server listens on the port of the store.
      ports: { ...portsFrom(port), ...(store === 'vendure' && { store: 0 }) },
      ...(dataFolder !== undefined && { dataFolder }),
      isNew,
      secretsFile,
      onProblem: (problem) => sayAt(problem),
    });
  } catch (error) {
    synthesis.abort();
    throw error;
  }
}

/** Whether the store and the loyalty service agree in the end. */
async function demonstrate(
  stack: RunningStack,
  store: ShownStore,
  how: Pick<DayParts, 'pace' | 'retryNow' | 'signal'>,
): Promise<boolean> {
  const { signal } = how;
  const { promise: attemptFailed, resolve: failed } = Promise.withResolvers<void>();
  let webhooks = 0;
  stack.logs.onLine((line) => {
    const { message, service } = readJsonObject(line.text) ?? {};
    if (message === 'will be tried again') failed();
    if (message === 'received' && service === 'receive-webhook') webhooks += 1;
    const sentence = narrate(line);
    if (sentence !== undefined) sayAt(`  ${sentence}`);
  });
  if (!store.isNew) say('Continuing with the data of the last run.');
  const settled = () => settle(stack, SETTLE_TIMEOUT_MS, signal);
  await store.play({ say: sayAt, attemptFailed, settled, ...how });
  sayAt('The shop closes. Waiting until everything in progress is done.');
  const left = await settled();
  if (signal.aborted) return false;
  say(
    `\n${webhooks} webhooks were delivered, ${stack.loyalty.journal.entries().length} calls reached the loyalty service.`,
  );
  return report(stack, store, left);
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

async function report(stack: RunningStack, store: ShownStore, left: number): Promise<boolean> {
  const { orders, products, coupons, differences } = await compare(
    await store.list(),
    stack.loyalty,
    stack.shop,
    new Date(),
  );
  if (stack.shop.mode === 'observe') {
    say(
      `${stack.shop.domain} is observed: nothing was sent. What would be: compare orders --since 1d`,
    );
    return left === 0;
  }
  for (const difference of differences) say(`differs: ${difference}`);
  if (left > 0) say(`still in progress: ${left} webhooks and messages`);
  if (differences.length > 0 || left > 0) {
    say(`NOT in sync. Differences: ${differences.length}`);
    return false;
  }
  const many = Object.entries({ order: orders, product: products, coupon: coupons });
  const parts = many.map(([what, count]) => `${count} ${what}${count === 1 ? '' : 's'}`);
  say(`in sync: ${parts.join(', ')}`);
  return true;
}

/** Why the stack could not start, for the user. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fault = listenFault(error);
  if (fault !== undefined) return fault;
  const { code } = error as { readonly code?: unknown };
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
export async function greet(
  stack: RunningStack,
  store: ShownStore,
  consoleAddress: string | undefined,
): Promise<string> {
  const ofShop = stack.shops.length > 1 ? ` --shop ${stack.shop.domain}` : '';
  const { administrator } = stack.keys;
  const [order] = (await store.list()).orderIds;
  return `
Stack ${stack.name} is running on this machine.

Pages for a browser:

${list([...consolePage(consoleAddress), ...store.pages])}

Addresses for programs:

${list([...store.programs, ['AWS', stack.endpoint, 'SQS, DynamoDB, Secrets Manager, Lambda']])}

${store.toTry}

See the state of the connector: npx loyalty-connector status
${order === undefined ? '' : `See the history of one order: npx loyalty-connector trace order ${order}${ofShop}\n`}
Read the queues, the ledger and the secrets with the AWS CLI:

  export AWS_ENDPOINT_URL=${stack.endpoint} AWS_REGION=us-east-1 \\
    AWS_ACCESS_KEY_ID=${administrator.accessKeyId} AWS_SECRET_ACCESS_KEY=${administrator.secretAccessKey}

Ctrl-C stops everything.
`;
}

function list(places: readonly Place[]): string {
  return places
    .map(([name, address, note]) => {
      const line = `  ${name.padEnd(16)} ${address}`;
      return note === undefined ? line : `${line}   (${note})`;
    })
    .join('\n');
}

function consolePage(address: string | undefined): Place[] {
  return address === undefined
    ? []
    : [['the console', address, 'start here; opens in one browser']];
}

/** What a person who sets it up would find on the pages of the store and of the loyalty service. */
export function greetNew(
  { name, shops }: Pick<RunningStack, 'name' | 'shops'>,
  isSetUp = false,
): string {
  if (isSetUp) {
    return `
Stack ${name} is running on this machine, with the secrets that were stored before.

See its state: npx loyalty-connector status

Ctrl-C stops everything.
`;
  }
  return `
Stack ${name} is running on this machine, as after a first deployment. Set it up, in another terminal:

  npx loyalty-connector setup

It asks for these values:

${shops.map((one) => valuesOf(one, shops.length > 1)).join('\n\n')}

Ctrl-C stops everything.
`;
}

function valuesOf(running: RunningShop, isNamed: boolean): string {
  const { token, key } = running.loyalty.credentials;
  const { shop, store, loyalty } = running;
  const ofShop = isNamed ? `; shop ${shop.domain}` : '';
  const page = `  the store        ${store.address}   (a page with buttons${ofShop})\n`;
  return `${hasSandbox(shop) ? valuesOfSandbox(store) : valuesOfVendure(running)}
  loyalty token    ${token}
  loyalty key      ${key}

${hasSandbox(shop) ? page : ''}  loyalty service  ${loyalty.address}/state`;
}

const valuesOfSandbox = ({ credentials }: RunningShop['store']): string =>
  `  client id        ${credentials.clientId}
  client secret    ${credentials.clientSecret}`;

const valuesOfVendure = ({ shop, webhookAddress, webhookSecret }: RunningShop): string =>
  `  plugin address   ${webhookAddress}   (an option of the plugin; shop ${shop.domain})
  plugin secret    ${webhookSecret}
  access           your own API key, or user name and password, of ${shop.vendure?.adminApi}`;
