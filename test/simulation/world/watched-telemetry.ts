import type { LogFields, Telemetry } from '../../../shared/core/events/telemetry.ts';
import { nameOf } from '../kernel/chance.ts';
import type { Journal } from '../kernel/journal.ts';

/** The outcomes after which an event is finished. */
const SETTLED: ReadonlySet<string> = new Set([
  'applied',
  'unchanged',
  'superseded',
  'skipped',
  'handled',
]);
const PARKED = 'parked in the dead-letter queue';
const DIFFERS = 'the loyalty service holds another order';

/** Reads the connector's telemetry, and checks that it holds no personal data. */
export class WatchedTelemetry implements Telemetry {
  readonly #journal: Journal;
  /** By topic and delivery: the last reported outcome. */
  readonly ends = new Map<string, 'settled' | 'parked'>();
  /** Orders that a person changed in the service, and whether a scan reported them. */
  readonly changed = new Map<string, boolean>();
  /** Called when a merge counts as done. */
  onMerged: (id: string) => void = () => {};
  /** How often each outcome was reported. */
  readonly outcomes = new Map<string, number>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  count(): void {}

  log(_level: string, message: string, fields: LogFields): void {
    const { correlationId, topic, why, kind, id } = fields;
    this.#journal.note(nameOf(message), () =>
      [`  ${message}:`, kind, id, topic, why].filter((part) => part !== undefined).join(' '),
    );
    for (const value of Object.values(fields)) {
      if (typeof value === 'string' && /zqzq/i.test(value)) {
        this.#journal.violation('personal-data', `"${message}" holds personal data`);
      }
    }
    if (message === DIFFERS) this.#differs(String(id), message);
    if (fields.how === 'merged') this.onMerged(String(id));
    const end = message === PARKED ? 'parked' : SETTLED.has(message) ? 'settled' : undefined;
    if (!end) return;
    const word = message === PARKED ? 'parked' : message;
    this.outcomes.set(word, (this.outcomes.get(word) ?? 0) + 1);
    if (correlationId !== undefined) this.ends.set(`${topic} ${correlationId}`, end);
  }

  #differs(id: string, message: string): void {
    if (this.changed.has(id)) this.changed.set(id, true);
    else this.#journal.violation('held-differs', `${message}: ${id}`);
  }
}
