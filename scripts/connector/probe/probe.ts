import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { findShop } from '../arguments.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable, wrap } from '../terminal/text.ts';
import {
  type AccountParts,
  type Conclusion,
  type FoundSettings,
  openTestAccount,
  type Step,
  type Undone,
} from './account.ts';
import { STEPS } from './steps.ts';

export interface ProbeOptions {
  readonly shop?: string;
  readonly yes?: boolean;
  readonly wait?: number;
}

const WAIT_SECONDS = 60;
/** Cannot be those of an account. */
const WRONG = { token: 'probe-wrong-token', key: 'probe-wrong-key' };

/** Confirm → try each step → undo everything → print the settings that follow. */
export async function probe(session: Session, options: ProbeOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const services = openShopServices(deployment);
  const now = new Date();
  const id = probeName(now, randomBytes(4));
  const { host } = new URL(services.loyaltyAddress(shop));
  terminal.note(
    `The loyalty account of ${shop.domain} at ${host} gets a customer, up to 5 orders, a coupon and a redeemed reward, all named ${id}.\nThey are undone at the end: the customer stays, inactive, and the orders stay, cancelled.`,
  );
  if (!options.yes && !(await terminal.confirm('Is this a TEST account?'))) {
    const next = nextCommand(deployment, 'probe --yes');
    throw new Problem('Nothing was tried.', `On a test account: ${next}`);
  }
  const change = await session.beginChange(deployment);
  const signal = session.interruption('Undoing what was made, then stopping.');
  const tried: TriedStep[] = [];
  const { undone, fault } = await tryAndUndo({
    id,
    now,
    signal,
    loyalty: services.loyalty(shop),
    stranger: services.loyalty(shop, WRONG),
    waitMs: (options.wait ?? WAIT_SECONDS) * 1_000,
    onTried(one) {
      tried.push(one);
      if (!json) printConclusion(terminal, one);
    },
  });
  const isUndone = ({ kind }: Undone) => kind === 'undone' || kind === 'never-made';
  const left = undone.filter((one) => !isUndone(one)).length;
  change.count({ steps: tried.length, undone: undone.length - left, left });
  const { storefront, ...others } = mergeSettings(tried.map((one) => one.settings ?? {}));
  // Pasted into settings that have none, it would switch the storefront on.
  const settings =
    storefront && deployment.connector.storefront ? { ...others, storefront } : others;
  if (json) terminal.json({ id, steps: tried, undone, settings });
  else printEnd(terminal, undone, { settings, isComplete: tried.length === STEPS.length });
  if (fault) throw fault.error;
  return left === 0 ? EXIT.fine : EXIT.failed;
}

export interface TriedStep extends Conclusion {
  readonly name: string;
  readonly tries: string;
}

interface Attempt extends Omit<AccountParts, 'pause'> {
  readonly onTried: (tried: TriedStep) => void;
  readonly steps?: readonly Step[];
  readonly pause?: (ms: number) => Promise<void>;
}

interface Ended {
  readonly undone: readonly Undone[];
  /** A bug in a step. */
  readonly fault: { readonly error: unknown } | undefined;
}

/** However the steps end, what they made is undone. A step that was interrupted concludes nothing. */
export async function tryAndUndo(attempt: Attempt): Promise<Ended> {
  const { signal, onTried, steps = STEPS, pause = sleep } = attempt;
  const account = openTestAccount({ ...attempt, pause });
  let fault: Ended['fault'];
  try {
    for (const { name, tries, run } of steps) {
      const conclusion = await run(account);
      if (signal.aborted) break;
      onTried({ name, tries, ...conclusion });
    }
  } catch (error) {
    fault = { error };
  }
  return { undone: await account.undoAll(), fault };
}

/** `probe-20261005-3f9a2b1c` */
function probeName(now: Date, random: Uint8Array): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  return `probe-${day}-${Buffer.from(random).toString('hex')}`;
}

/** Each step adds its own; no two find the same setting. */
export function mergeSettings(all: readonly FoundSettings[]): FoundSettings {
  const assumptions = Object.assign({}, ...all.map(({ loyalty }) => loyalty?.assumptions));
  const rules = Object.assign({}, ...all.map((one) => one.rules));
  const storefront = Object.assign({}, ...all.map((one) => one.storefront));
  const hasAny = (settings: object) => Object.keys(settings).length > 0;
  return {
    ...(hasAny(assumptions) && { loyalty: { assumptions } }),
    ...(hasAny(rules) && { rules }),
    ...(hasAny(storefront) && { storefront }),
  };
}

/** As they are written in `connector.config.ts`. */
function settingsText(settings: object): string {
  return inspect(settings, { depth: null, breakLength: 80 });
}

const LABEL_WIDTH = 12;
const LEAST_ROOM = 40;

function printConclusion(
  terminal: Terminal,
  { name, tries, answered, means, settings }: TriedStep,
): void {
  terminal.line(terminal.style('bold', name));
  printRow(terminal, 'tried', tries);
  for (const answer of answered) printRow(terminal, 'answered', answer);
  printRow(terminal, 'means', means);
  if (settings) printRow(terminal, 'setting', settingsText(settings));
  terminal.line();
}

function printRow(terminal: Terminal, label: string, text: string): void {
  const room = Math.max(terminal.width - LABEL_WIDTH - 2, LEAST_ROOM);
  for (const [index, line] of wrap(printable(text), room).entries()) {
    terminal.line(`  ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
  }
}

const STATES = {
  undone: 'undone',
  'never-made': 'was not made',
  'shows-later': 'taken, and shows up to 24 hours later. Look then',
  failed: 'NOT UNDONE',
} as const satisfies Record<Undone['kind'], string>;

function printEnd(
  terminal: Terminal,
  undone: readonly Undone[],
  { settings, isComplete }: { readonly settings: FoundSettings; readonly isComplete: boolean },
): void {
  terminal.line(terminal.style('bold', 'undone'));
  for (const { what, kind, answered, byHand } of undone) {
    const rest = byHand === undefined ? '' : ` (${answered}). ${byHand}`;
    printRow(terminal, '', `${what}: ${STATES[kind]}${rest}`);
  }
  terminal.line();
  if (!isComplete) terminal.line('Not all steps were tried.');
  terminal.line(
    Object.keys(settings).length === 0
      ? 'No setting follows.'
      : `The settings that follow, for connector.config.ts:\n\n${settingsText(settings)}`,
  );
}
