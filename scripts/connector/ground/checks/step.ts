import type { Command } from 'commander';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { AskedField } from '../../../../shared/core/platform/platform.ts';
import type { AwsSettings, Deployment } from '../session/deployment.ts';
import type { PlatformShop } from '../session/services.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { Problem } from '../terminal/exit.ts';
import { askHidden, askLine, type Terminal } from '../terminal/terminal.ts';
import { type Check, type Finding, findingsBlock, type ShopDeps } from './check.ts';

/**
 * One step of the set-up: a check, mostly one of `doctor`, with what repairs it. What is done already is read from AWS,
 * the store and the loyalty service, so a run that was stopped anywhere can be repeated.
 *
 *   look ──pass, info, warn──▶ next step
 *    │ fail
 *    ▼
 *   fix ──▶ look again: that is the verification. What still fails, or is not known, stops the set-up.
 */
export interface Step extends Pick<Check, 'look' | 'fix'> {
  readonly title: string;
  /** A warning is enough for a fix; otherwise it is left to the person. */
  readonly fixesWarnings?: boolean;
}

/** Runs the step and returns what it leaves to the person. Throws a `Problem` where the set-up must stop. */
export async function runStep(
  { title, fixesWarnings, ...check }: Step,
  number: number,
  { terminal, show }: Pick<Session, 'terminal' | 'show'>,
): Promise<readonly Finding[]> {
  const before = await check.look();
  const open = before.filter(
    ({ verdict }) => verdict === 'fail' || (fixesWarnings && verdict === 'warn'),
  );
  let findings = before;
  if (check.fix && open.length > 0) {
    terminal.note(`${number}. ${title}: ${briefly(open)}`);
    const done = await check.fix(before);
    const isRefused = done.some(({ verdict }) => verdict === 'fail');
    findings = [...done, ...(isRefused ? [] : await check.look())];
  }
  const block = findingsBlock([{ name: '', findings }]);
  show({ title: `${number}. ${title}`, blocks: [block] });
  terminal.line();
  if (findings.some(({ verdict }) => verdict === 'fail' || verdict === 'unknown')) {
    const next = 'Do what it says above, then run the command again: it continues from here.';
    throw new Problem(`Set-up stopped at step ${number}, ${title}.`, next);
  }
  return findings.filter(({ verdict }) => verdict === 'warn');
}

/** What is being repaired, in one line and without advice: the next look shows how it ended. */
const briefly = ([first, ...others]: readonly Finding[]): string =>
  `${first?.what}${others.length === 0 ? '' : `, and ${others.length} more`}`;

export interface SetupOptions extends CommonOptions {
  readonly stage?: string;
  readonly olderApp?: boolean;
}

export interface SetupDeps {
  readonly where: Deployment['where'];
  readonly stage: string;
  readonly stack: string;
  readonly aws: AwsSettings;
  readonly options: SetupOptions;
  readonly session: Pick<Session, 'beginChange' | 'show' | 'terminal'>;
  readonly terminal: Terminal;
  /** The settings of the stage; throws a `Problem` that names their faults. */
  connector(): Promise<Deployment['connector']>;
  /** True with --yes; false where there is no terminal to answer. */
  agrees(question: string): Promise<boolean>;
}

export interface ShopSetup {
  readonly deps: SetupDeps;
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** False: the titles name the shop. */
  readonly isOnly: boolean;
}

/** What `doctor`, `status` and `setup` do in the shops of a platform, beside what its record in `shared` says. */
export interface PlatformChecks {
  /** Whether the store can be read, and what follows from that. */
  readonly checks: (deps: ShopDeps) => readonly Check[];
  /** Once the secrets are stored. */
  readonly steps: (setup: ShopSetup, deps: ShopDeps) => Iterable<Step>;
  readonly guide?: (setup: ShopSetup) => string;
}

/** Of all platforms. The program gives them to its commands, which know no platform. */
export interface ChecksByPlatform {
  readonly checksOf: (shop: PlatformShop) => PlatformChecks;
  readonly storeChecks: (deps: ShopDeps) => readonly Check[];
  /** Of any shops: those without subscriptions say who sends their events. */
  readonly eventsCheck: (deps: ShopDeps) => Check;
}

export interface ProgramParts {
  readonly createProgram: () => Command;
  /** When a command needs them: loading them takes time. */
  readonly loadChecks: () => Promise<ChecksByPlatform>;
}

/** A value that only the user has: from the environment, or asked for. Empty where there is no terminal to answer. */
export async function obtainValue(
  { question, variable }: Pick<AskedField, 'question' | 'variable'>,
  ask = (text: string) => askHidden(`${text} (not shown)`),
): Promise<string> {
  const given = process.env[variable]?.trim();
  return given || !process.stdin.isTTY ? (given ?? '') : ask(question);
}

/** Where the user does something on another page; where nobody can answer, the next look says that it is not done. */
export async function waitForUser(done: string): Promise<void> {
  if (process.stdin.isTTY) await askLine(`${done} Press Enter`);
}
