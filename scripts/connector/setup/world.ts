import type { Connector } from '../../../shared/config/connector-config.ts';
import type { AwsSettings, Deployment } from '../deployment/deployment.ts';
import { Problem } from '../exit.ts';
import type { CommonOptions, Session } from '../session.ts';
import { askHidden, askLine } from '../terminal/ask.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface SetupOptions extends CommonOptions {
  readonly stage?: string;
  readonly shop?: string;
  readonly olderApp?: boolean;
  readonly yes?: boolean;
}

/** What the steps share. */
export interface World {
  readonly where: Deployment['where'];
  readonly stage: string;
  readonly stack: string;
  /** False on this machine, and for a construct in an app of the user's own, which deploys it. */
  readonly isDeployedHere: boolean;
  readonly aws: AwsSettings;
  readonly options: SetupOptions;
  readonly session: Session;
  readonly terminal: Terminal;
  /** The settings of the stage; throws a `Problem` that names their faults. */
  connector(): Promise<Connector>;
  /** Throws a `Problem` while the stack is not deployed. */
  deployment(): Promise<Deployment>;
  /** True with --yes; false where there is no terminal to answer. */
  agrees(question: string): Promise<boolean>;
}

/** A value that only the user has. */
export interface WantedValue {
  readonly question: string;
  /** The environment variable that is read instead of asking. */
  readonly variable: string;
  /** By default a secret, which is not shown while it is typed. */
  readonly shown?: boolean;
}

/** From the environment, or asked for. Never waits where there is no terminal to answer. */
export async function obtainValue({ question, variable, shown }: WantedValue): Promise<string> {
  const given = process.env[variable]?.trim();
  if (given) return given;
  if (!process.stdin.isTTY) {
    throw new Problem(
      `Not given: ${question}.`,
      `Set it in the environment variable ${variable}, or run the command in a terminal, which asks for it.`,
    );
  }
  return shown ? ((await askLine(question)) ?? '') : askHidden(`${question} (not shown)`);
}

/** Where the user does something on another page. False where there is no terminal to answer. */
export async function waitForUser(done: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  return (await askLine(`${done} Press Enter`)) !== undefined;
}
