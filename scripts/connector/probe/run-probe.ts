import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { findShop } from '../arguments.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { printConclusion, printSettings, printUndone } from './print-probe.ts';
import { createWorld } from './probe-world.ts';
import { mergeSettings } from './settings-text.ts';
import type { Step, TriedStep } from './step.ts';
import { STEPS } from './steps.ts';
import { type Undone, undoAll } from './undo.ts';

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
    `The loyalty account of ${shop.domain} at ${host} gets a customer, up to 6 orders, a coupon and a redeemed reward, all named ${id}.\nThey are undone at the end: the customer stays, inactive, and the orders stay, cancelled.`,
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
  else {
    printUndone(terminal, undone);
    printSettings(terminal, settings, tried.length === STEPS.length);
  }
  if (fault) throw fault.error;
  return left === 0 ? EXIT.fine : EXIT.failed;
}

export interface Attempt {
  readonly id: string;
  readonly now: Date;
  readonly signal: AbortSignal;
  readonly loyalty: LoyaltyClient;
  readonly stranger: LoyaltyClient;
  readonly waitMs: number;
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
  const { signal, loyalty, onTried, steps = STEPS, pause = sleep } = attempt;
  const world = createWorld({ ...attempt, pause });
  let fault: Ended['fault'];
  try {
    for (const { name, tries, run } of steps) {
      const conclusion = await run(world);
      if (signal.aborted) break;
      onTried({ name, tries, ...conclusion });
    }
  } catch (error) {
    fault = { error };
  }
  return { undone: await undoAll(world.undos, loyalty, pause), fault };
}

/** `probe-20261005-3f9a2b1c` */
function probeName(now: Date, random: Uint8Array): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  return `probe-${day}-${Buffer.from(random).toString('hex')}`;
}
