/** Settings of the server around the program: what it keeps, and how it sends point events. */
export interface ServerSettings {
  /** Calls the journal holds; older ones are dropped and counted. */
  readonly journalLimit: number;
  /** Whether and how the service retries a delivery is not shown. About 25 s in all by default. */
  readonly eventAttempts: number;
  readonly eventFirstDelayMs: number;
  readonly eventLongestDelayMs: number;
  readonly eventTimeoutMs: number;
  /** Events kept to look at once they are delivered, given up or not to be sent. */
  readonly eventsKept: number;
}

export const defaultServerSettings: ServerSettings = {
  journalLimit: 100_000,
  eventAttempts: 8,
  eventFirstDelayMs: 200,
  eventLongestDelayMs: 30_000,
  eventTimeoutMs: 5_000,
  eventsKept: 10_000,
};
