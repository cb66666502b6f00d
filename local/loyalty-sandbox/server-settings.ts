import { group, number, readAll, type SettingsOf } from './setting.ts';

const LONGEST_MS = 3_600_000;
/** What is kept lies in memory. */
const MOST_KEPT = 1_000_000;
const whole = (preset: number, least: number, most: number) =>
  number(preset, least, most, 'whole number');

/** Settings of the server around the program: what it keeps, and how it sends point events. */
const settings = group({
  /** Calls the journal holds; older ones are dropped and counted. */
  journalLimit: whole(100_000, 0, MOST_KEPT),
  /** Whether and how the service retries a delivery is not shown. About 25 s in all by default. */
  eventAttempts: whole(8, 1, 1_000),
  eventFirstDelayMs: whole(200, 0, LONGEST_MS),
  eventLongestDelayMs: whole(30_000, 0, LONGEST_MS),
  eventTimeoutMs: whole(5_000, 1, LONGEST_MS),
  /**
   * Documented: a subscription may be switched off after 5 or more failures in a row. 0: it never is, for
   * a run that restarts its receiver.
   */
  subscriptionFailures: whole(5, 0, 1_000),
  /** Events kept to look at once they are delivered, given up or not to be sent. */
  eventsKept: whole(10_000, 0, MOST_KEPT),
});

export type ServerSettings = SettingsOf<typeof settings>;
export const defaultServerSettings = settings.preset;
export const readServerSettings = (input: unknown = {}) => readAll(settings, input);
