/** What a command says to the shell that started it. */
export const EXIT = {
  fine: 0,
  /** It failed, or what it looked at is not healthy. */
  failed: 1,
  badArguments: 2,
  /** 128 and the number of SIGINT, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Something a person has to know and can act on, in plain words. The frame prints it and ends with 1;
 * anything else that is thrown is a bug or broken infrastructure.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** What to do about it; a line of its own. */
  readonly next: string | undefined;

  constructor(message: string, next?: string) {
    super(message);
    this.next = next;
  }
}

/** What was typed cannot be done as it stands: one line, exit code 2. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments';
}
