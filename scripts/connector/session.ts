import type { Deployment } from './deployment/deployment.ts';
import type { Recorded } from './history/audit-records.ts';
import type { RecordedChange } from './history/record-change.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly verbose?: boolean;
}

/** What a running command has access to. */
export interface Session {
  readonly terminal: Terminal;
  /** Print one JSON document on standard output and nothing else there. */
  readonly json: boolean;
  /** The deployment that the options name; throws a `Problem` when there is none. */
  findDeployment(): Promise<Deployment>;
  /**
   * To be called before the first change, and before personal data is read to be shown: writes into the ledger
   * who begins what, and throws a `Problem` when that fails. The end of the command is recorded by itself, with
   * what was counted.
   */
  beginChange(deployment: Deployment, recorded?: Recorded): Promise<Pick<RecordedChange, 'count'>>;
  /**
   * Fires at the first Ctrl-C. A command that uses it must end soon after; without it Ctrl-C ends the
   * process at once, and so does a second one. `note` says what happens until then.
   */
  interruption(note?: string): AbortSignal;
}
