import type { Detail, Metric } from '../../config/metrics.ts';

export type { Metric };

export type Dimensions = Readonly<Partial<Record<Detail, string>>>;

/**
 * Where the connector reports what it does. Callers pass ids, names of reasons and codes, and never a
 * value out of a payload: nothing here can distinguish a person's name from a title.
 */
export interface Telemetry {
  count(metric: Metric, dimensions?: Dimensions, value?: number): void;
  log(level: 'info' | 'warn' | 'error', message: string, fields: LogFields): void;
}

/**
 * The lines that `audit` and the simulation read, beside one for each outcome, named by its kind. None of them is
 * sampled.
 */
export const LOG_LINES = {
  received: 'received',
  parked: 'parked in the dead-letter queue',
  retried: 'will be tried again',
  planned: 'waits for its next step',
  paused: 'the calls of a shop pause',
} as const;

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** An error as it may be logged: without its message, which may quote what was being read. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    errorCode: 'code' in error ? String(error.code) : undefined,
    stack: frames.map((frame) => frame.trim()).join(' < '),
  };
}
