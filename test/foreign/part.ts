import { execFileSync } from 'node:child_process';

/** One engine of others and what it judges. */
export interface Part {
  readonly engine: string;
  /** A bug that the engine must find, in one sentence. */
  readonly bug: string;
  open(): Promise<OpenPart>;
}

interface OpenPart {
  /** `withBug`: with the planted bug; a few of the checks suffice. */
  judge(withBug: boolean): Promise<Judgement>;
  stop(): Promise<void>;
}

export interface Judgement {
  readonly checks: number;
  readonly faults: readonly string[];
}

export function install(program: string, ...options: readonly string[]): void {
  console.log(`Installing: ${program} ${options.join(' ')}`);
  execFileSync(program, options, { stdio: ['ignore', 'ignore', 'inherit'] });
}
