import { dropUndefined, number, parts } from './setting-checks.ts';

/** Settings of the server around the program: what it keeps, and how it sends point events. */
export interface ServerSettings {
  /** Calls the journal holds; older ones are dropped and counted. */
  readonly journalLimit: number;
  /** Whether and how the service retries a delivery is not shown. About 25 s in all by default. */
  readonly eventAttempts: number;
  readonly eventFirstDelayMs: number;
  readonly eventLongestDelayMs: number;
  readonly eventTimeoutMs: number;
  /**
   * Documented: a subscription may be switched off after 5 or more failures in a row. 0: it never is, for
   * a run that restarts its receiver.
   */
  readonly subscriptionFailures: number;
  /** Events kept to look at once they are delivered, given up or not to be sent. */
  readonly eventsKept: number;
}

export const defaultServerSettings: ServerSettings = {
  journalLimit: 100_000,
  eventAttempts: 8,
  eventFirstDelayMs: 200,
  eventLongestDelayMs: 30_000,
  eventTimeoutMs: 5_000,
  subscriptionFailures: 5,
  eventsKept: 10_000,
};

export type ServerSettingsReading =
  | { readonly kind: 'read'; readonly settings: ServerSettings }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

const longestMs = 3_600_000;
/** What is kept lies in memory. */
const mostKept = 1_000_000;

const checkServerSettings = parts({
  journalLimit: number(0, mostKept, 'whole number'),
  eventAttempts: number(1, 1_000, 'whole number'),
  eventFirstDelayMs: number(0, longestMs, 'whole number'),
  eventLongestDelayMs: number(0, longestMs, 'whole number'),
  eventTimeoutMs: number(1, longestMs, 'whole number'),
  subscriptionFailures: number(0, 1_000, 'whole number'),
  eventsKept: number(0, mostKept, 'whole number'),
} satisfies Record<keyof ServerSettings, unknown>);

/** Fills what is missing with the defaults. All faults are reported together. */
export function readServerSettings(input: unknown = {}): ServerSettingsReading {
  const faults = checkServerSettings(input, '');
  if (faults.length > 0) return { kind: 'faulty', faults };
  const given = dropUndefined(input as Partial<ServerSettings>);
  return { kind: 'read', settings: { ...defaultServerSettings, ...given } };
}
