export interface PaceOptions {
  readonly rate?: number;
  readonly mostWaiting?: number;
  readonly shop?: string;
}

export interface StartOptions extends PaceOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly yes?: boolean;
  readonly again?: boolean;
}

/** A loyalty service of unknown size must not notice it: 100 000 orders take three hours. */
export const DEFAULT_RATE = 10;

/** Half a minute's work of a few workers: what a live order may have to wait behind. */
export const DEFAULT_MOST_WAITING = 500;
