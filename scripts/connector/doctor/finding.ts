/** What one look found. */
export interface Finding {
  /** `info`: neither good nor bad, but somebody has to know. */
  readonly verdict: 'pass' | 'warn' | 'fail' | 'info';
  readonly what: string;
  /** What to do about it, for `warn` and `fail`. */
  readonly fix?: string;
}

export const pass = (what: string): Finding => ({ verdict: 'pass', what });
export const info = (what: string): Finding => ({ verdict: 'info', what });
export const warn = (what: string, fix: string): Finding => ({ verdict: 'warn', what, fix });
export const fail = (what: string, fix: string): Finding => ({ verdict: 'fail', what, fix });

/** One thing that is looked at. */
export interface Check {
  readonly name: string;
  run(): Promise<readonly Finding[]>;
}
