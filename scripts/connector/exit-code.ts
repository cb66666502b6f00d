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
