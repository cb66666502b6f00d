/** One thing that is not as it should be, and what to do about it first. */
export interface Trouble {
  readonly what: string;
  /** A command to run, without `npx loyalty-connector`. */
  readonly next: string;
}

/** `1 time`, `3 times`. */
export function count(many: number, thing: string): string {
  return `${many} ${thing}${many === 1 ? '' : 's'}`;
}
