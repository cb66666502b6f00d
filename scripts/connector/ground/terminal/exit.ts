export const EXIT = {
  fine: 0,
  /** The command failed, or what it checked needs a person. */
  failed: 1,
  badArguments: 2,
  /** It is not as it should be, and goes on by itself. */
  waiting: 3,
  /** It could not be read, or not all of it. */
  notKnown: 4,
  /** 128 plus the number of SIGINT, as shells do it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the user can act on: printed, and ends with 1. Anything else that is thrown is a bug or broken infrastructure. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** What to do next; printed on its own line. */
  readonly next: string | undefined;

  constructor(message: string, next?: string) {
    super(message);
    this.next = next;
  }
}

/** Ctrl-C, or the stop button of the console, came before the first change. */
export class StoppedEarly extends Problem {
  constructor() {
    super('Stopped. Nothing was changed.');
  }
}

/** Wrong arguments: one line, exit code 2. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments';
}
