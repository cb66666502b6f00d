import { type Document, text } from '../terminal/document.ts';
import { EXIT, type ExitCode, type Problem } from '../terminal/exit.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Recorded, RecordedChange } from './audit-records.ts';
import type { Deployment, StackOptions } from './deployment.ts';

export interface CommonOptions extends StackOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** These of some commands: only this shop; do it without asking; also what is folded away on a page. */
  readonly shop?: string;
  readonly yes?: boolean;
  readonly full?: boolean;
}

export interface Session {
  readonly terminal: Terminal;
  /** A document before the one that the command returns: in a loop, or before it fails. */
  show(document: Document): void;
  /** The deployment that the options name, or this stack instead; throws a `Problem` when there is none. */
  findDeployment(stack?: string): Promise<Deployment>;
  /**
   * To be called before the first change, and before personal data is read to be shown: writes into the ledger
   * who begins what, and throws a `Problem` when that fails. The end of the command is recorded by itself, with
   * what was counted. `about` names what was found by the words that were typed, which may be an e-mail address and
   * then are not recorded.
   */
  beginChange(
    deployment: Deployment,
    recorded?: Recorded,
    about?: Readonly<Record<string, string>>,
  ): Promise<Change>;
  /**
   * Fires at the first Ctrl-C. A command that uses it must end soon after; without it Ctrl-C ends the
   * process at once, and so does a second one. `note` says what happens until then.
   */
  interruption(note?: string): AbortSignal;
}

export type Change = Pick<RecordedChange, 'count'>;

/** What a command would change, before a person agreed. */
export interface Plan {
  readonly preview: () => Document | Promise<Document>;
  /** Undefined where nothing has to be done, or nothing can: then the preview is all there is. */
  readonly question: string | undefined;
  /** See `beginChange`. */
  readonly about?: Readonly<Record<string, string>>;
  /** Repeated after an interruption, it finds done what was done, and goes on. */
  readonly act: (change: Change) => Promise<Document>;
}

/** Show → ask → record who → act: in every command that shows first what it would change. */
export async function carryOut(
  session: Pick<Session, 'show' | 'terminal' | 'beginChange'>,
  deployment: Deployment,
  yes: boolean | undefined,
  { preview, question, about, act }: Plan,
): Promise<Document | ExitCode> {
  if (question === undefined) return preview();
  if (!yes) {
    const { blocks, ...shown } = await preview();
    session.show({ ...shown, blocks: [...blocks, text('Nothing is done before you agree.')] });
    if (!(await session.terminal.confirm(question))) return EXIT.fine;
  }
  return act(await session.beginChange(deployment, 'change', about));
}

/** Where a command runs: this process with its terminal, or a request of the console. */
export interface Host {
  createTerminal(settings: { readonly quiet: boolean }): Terminal;
  /** Undefined: documents are printed at the terminal. */
  readonly showDocument?: (document: Document) => void;
  findDeployment(options: CommonOptions): Promise<Deployment>;
  /** `interrupt` returns what the command does until it ends in order; undefined when it must be ended at once. */
  onInterruption(interrupt: () => string | undefined): void;
  reportProblem(problem: Pick<Problem, 'message' | 'next'>): void;
  /** After everything else of the command. */
  end(code: ExitCode): void;
}
