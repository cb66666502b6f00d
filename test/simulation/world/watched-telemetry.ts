import {
  type Fact,
  factIn,
  type Pause,
  pauseIn,
} from '../../../scripts/connector/look/audit-facts.ts';
import {
  DayJudge,
  Findings,
  isEnd,
  PROMISE_NAMES,
} from '../../../scripts/connector/look/audit-promises.ts';
import type { LogFields, Telemetry } from '../../../shared/core/events/telemetry.ts';
import { nameOf } from '../kernel/chance.ts';
import type { Journal } from '../kernel/journal.ts';
import type { Kernel } from '../kernel/kernel.ts';

const DIFFERS = 'the loyalty service holds another order';

/** Reads the connector's telemetry, and checks that it holds no personal data. */
export class WatchedTelemetry implements Telemetry {
  readonly #journal: Journal;
  readonly #time: Kernel['time'];
  /** What the command `audit` would read. */
  readonly #facts: Fact[] = [];
  readonly pauses: Pause[] = [];
  readonly woken: { readonly from: number; readonly until: number }[] = [];
  /** By topic and delivery: the last reported outcome. */
  readonly ends = new Map<string, 'ended' | 'parked'>();
  /** Orders that a person changed in the service, and whether a scan reported them. */
  readonly changed = new Map<string, boolean>();
  /** Called when a merge counts as done. */
  onMerged: (id: string) => void = () => {};
  /** How often each outcome was reported. */
  readonly outcomes = new Map<string, number>();

  constructor({ journal, time }: Kernel) {
    this.#journal = journal;
    this.#time = time;
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
    const at = this.#time.now;
    const pause = pauseIn(at, message, fields);
    if (pause) this.pauses.push(pause);
    const fact = factIn(at, message, fields);
    if (!fact) return;
    this.#facts.push(fact);
    if (!isEnd(fact)) return;
    const { what } = fact;
    const word = what === 'parked' ? what : message;
    this.outcomes.set(word, (this.outcomes.get(word) ?? 0) + 1);
    this.ends.set(`${topic} ${correlationId}`, what === 'parked' ? what : 'ended');
  }

  /** At the end of a run: as `audit` judges a day, by the lines alone. */
  judgeDay(isEmpty: boolean, recoveredAt?: number): void {
    const { now } = this.#time;
    const findings = new Findings();
    const { pauses, woken } = this;
    const day = { since: 0, until: now, heardUntil: now, pauses, woken, recoveredAt };
    const judge = new DayJudge({ ...day, ...(isEmpty && { emptyAt: now }) }, findings);
    const entities = Map.groupBy(this.#facts, ({ kind, id }) => `${kind} ${id}`);
    for (const some of entities.values()) judge.judge(some);
    judge.finish();
    for (const promise of PROMISE_NAMES) {
      for (const { why, kind, id, at } of findings.of[promise].violations) {
        const when = new Date(at).toISOString();
        this.#journal.violation(promise, `${why}: ${kind} ${id} at ${when}`);
      }
    }
  }

  #differs(id: string, message: string): void {
    if (this.changed.has(id)) this.changed.set(id, true);
    else this.#journal.violation('held-differs', `${message}: ${id}`);
  }
}
