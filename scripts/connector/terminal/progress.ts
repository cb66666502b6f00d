import { spanText } from './relative-time.ts';

/** How far something is. */
export interface Progress {
  /** How many are done by now, and a word on them where there is one to say. */
  report(done: number, detail?: string): void;
  /** Takes the line away; what was done is told by the command itself. */
  end(): void;
}

interface ProgressSettings {
  readonly doing: string;
  /** How many there will be, where that is known. */
  readonly total: number | undefined;
  readonly stream: NodeJS.WriteStream;
  readonly quiet: boolean;
  readonly now: () => number;
}

/** Quicker things need no line. */
const QUIET_FOR_MS = 2_000;
const SCREEN_EVERY_MS = 200;
const LOG_EVERY_MS = 5_000;

/** One line that is written over on a screen, a line every few seconds where it is piped. */
export function createProgress(settings: ProgressSettings): Progress {
  const { stream, quiet, now } = settings;
  const startedAt = now();
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    report(done, detail) {
      const time = now();
      const everyMs = stream.isTTY ? SCREEN_EVERY_MS : LOG_EVERY_MS;
      if (quiet || time - startedAt < QUIET_FOR_MS || time - toldAt < everyMs) return;
      toldAt = time;
      const line = progressLine(settings, done, time - startedAt, detail);
      stream.write(stream.isTTY ? `\r${line.slice(0, stream.columns - 1)}\u001b[K` : `${line}\n`);
    },
    end() {
      if (stream.isTTY && Number.isFinite(toldAt)) stream.write('\r\u001b[K');
    },
  };
}

export function progressLine(
  { doing, total }: Pick<ProgressSettings, 'doing' | 'total'>,
  done: number,
  elapsedMs: number,
  detail?: string,
): string {
  const perSecond = done / (elapsedMs / 1000);
  const count = total === undefined ? `${done}` : `${done} of ${Math.max(total, done)}`;
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  const parts = [`${doing} ${count}`, rate];
  if (total !== undefined && done > 0 && total > done) {
    parts.push(`${spanText(((total - done) / perSecond) * 1000)} left`);
  }
  if (detail !== undefined) parts.push(detail);
  return parts.join(' · ');
}
