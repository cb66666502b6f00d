import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  type CheckResult,
  type Finding,
  findingsBlock,
  unknown,
  verdictOf,
} from '../ground/checks/check.ts';
import { findShop } from '../ground/session/arguments.ts';
import { openShopServices } from '../ground/session/services.ts';
import { type CommonOptions, carryOut, type Session } from '../ground/session/session.ts';
import {
  type Block,
  type Document,
  facts,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import type { ExitCode } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted } from '../ground/terminal/text.ts';
import {
  type AccountParts,
  type Conclusion,
  type FoundSettings,
  openTestAccount,
} from './probe-account.ts';
import { STEPS } from './probe-steps.ts';

export interface ProbeOptions extends CommonOptions {
  readonly wait?: number;
}

const WAIT_SECONDS = 60;
const STEP_COUNT = Object.keys(STEPS).length;

/** Confirm → try each step → undo everything → say which settings follow. */
export async function probe(session: Session, options: ProbeOptions): Promise<Document | ExitCode> {
  const { terminal } = session;
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const services = openShopServices(deployment);
  const now = new Date();
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const id = `probe-${day}-${randomBytes(4).toString('hex')}`;
  const { host } = new URL(services.loyaltyAddress(shop));
  return carryOut(session, deployment, options.yes, {
    preview: () => previewOf(`the loyalty account of ${shop.domain} at ${host}`, id, options),
    question: 'Is this a TEST account?',
    async act(change) {
      const signal = session.interruption('Undoing what was created, then stopping.');
      // For a person who has to look for it, should this process be ended at once.
      terminal.note(`Everything created is named ${id}.`);
      const progress = terminal.progress('Trying on the account:', STEP_COUNT);
      const tried: TriedStep[] = [];
      const undone = await tryAndUndo({
        id,
        now,
        signal,
        loyalty: services.loyalty(shop),
        waitMs: (options.wait ?? WAIT_SECONDS) * 1_000,
        pause: sleep,
        onTried(one) {
          tried.push(one);
          progress.report(tried.length, one.name);
        },
      });
      const left = undone.filter(({ verdict }) => verdict !== 'pass').length;
      change.count({ steps: tried.length, undone: undone.length - left, left });
      const { storefront, ...others } = mergeSettings(tried);
      // Pasted into settings that have none, it would switch the storefront on.
      const settings =
        storefront && deployment.connector.storefront ? { ...others, storefront } : others;
      return {
        title: `Probe of ${shop.domain}: ${id}`,
        verdict: judge(tried, left),
        blocks: blocksOf(tried, undone, settings),
        data: { id, steps: tried, undone, settings },
      };
    },
  });
}

function previewOf(account: string, id: string, { shop, wait }: ProbeOptions): Document {
  const tryIt = line('probe', [], { shop, wait, yes: true });
  return {
    title: `Probe of ${account}`,
    blocks: [
      text(
        `The account gets up to 3 customers, up to 5 orders, a coupon and a redeemed reward, all named like ${id}. They are undone at the end: the customers stay, inactive, and the orders stay, cancelled.`,
      ),
    ],
    next: [{ label: 'Try it', say: 'On a TEST account:', line: tryIt }],
  };
}

export interface TriedStep extends Conclusion {
  readonly name: string;
  /** Call by call: codes, states and numbers. */
  readonly answered: readonly string[];
}

interface Attempt extends AccountParts {
  readonly onTried: (tried: TriedStep) => void;
}

/** However the steps end, what they made is undone. A step that was interrupted concludes nothing. */
export async function tryAndUndo(attempt: Attempt): Promise<readonly Finding[]> {
  const account = openTestAccount(attempt);
  for (const [name, run] of Object.entries(STEPS)) {
    const conclusion = await run(account).catch(brokenOff);
    if (attempt.signal.aborted) break;
    attempt.onTried({ name, ...conclusion, answered: account.takeAnswers() });
  }
  return account.undoAll();
}

/** A bug of the step: the others are tried all the same. */
const brokenOff = (error: unknown): Conclusion =>
  unknown(`this step failed unexpectedly (${error})`, 'Please report it.');

/** Each step adds its own; no two find the same setting. */
export function mergeSettings(tried: readonly TriedStep[]): FoundSettings {
  const all = tried.map(({ settings = {} }) => settings);
  const assumptions = Object.assign({}, ...all.map(({ loyalty }) => loyalty?.assumptions));
  const rules = Object.assign({}, ...all.map((one) => one.rules));
  const found = Object.assign({}, ...all, { rules, loyalty: { assumptions } });
  if (Object.keys(rules).length === 0) delete found.rules;
  if (Object.keys(assumptions).length === 0) delete found.loyalty;
  return found;
}

const resultsOf = (tried: readonly TriedStep[]): readonly CheckResult[] =>
  tried.map((one) => ({ name: one.name, findings: [one] }));

/** What is left in the account comes before what the steps found. */
function judge(tried: readonly TriedStep[], left: number): Verdict {
  if (left === 0 && tried.length === STEP_COUNT) return verdictOf(resultsOf(tried));
  if (left === 0) return { kind: 'unknown', what: 'Not all steps were tried.' };
  return { kind: 'action required', what: `${counted(left, 'thing')} could not be undone.` };
}

function blocksOf(
  tried: readonly TriedStep[],
  undone: readonly Finding[],
  settings: FoundSettings,
): readonly Block[] {
  const answers = tried.flatMap(({ name, answered }) =>
    answered.map((answer, index) => [index === 0 ? name : '', answer] as const),
  );
  return [
    findingsBlock(resultsOf(tried), { title: 'What the answers mean' }),
    facts(answers, 'What the service answered'),
    findingsBlock([{ name: '', findings: undone }], { title: 'What was created' }),
    Object.keys(settings).length === 0
      ? text('No setting to change.')
      : {
          kind: 'code',
          title: 'Settings for connector.config.ts',
          text: inspect(settings, { depth: null, breakLength: 80 }),
        },
  ];
}
