import { hash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventKind } from '../../../shared/core/events/event.ts';
import type { AppliedAgain } from '../../../shared/core/events/outcome.ts';
import { LOG_LINES } from '../../../shared/core/events/telemetry.ts';

/** What a log line, a dead letter or the ledger says of one entity at a moment. */
export interface Fact {
  /** Epoch milliseconds. Of a dead letter: when its event was accepted. */
  readonly at: number;
  /** `queued`: the ledger says that a message about it waits now. */
  readonly what: 'received' | 'ended' | 'parked' | 'waits' | 'letter' | 'queued';
  readonly shop: string;
  readonly kind: EventKind;
  readonly id: string;
  readonly topic: string;
  /** The id of the delivery; empty for what is no log line. */
  readonly delivery: string;
  /** Those that changed what the loyalty service holds; absent or empty: none. */
  readonly calls?: string | undefined;
  readonly state?: string | undefined;
  readonly again?: AppliedAgain | undefined;
  readonly why?: string | undefined;
  readonly afterSeconds?: number | undefined;
  /** Of one that waits, or has waited: SQS's id, which two messages of one delivery do not share. */
  readonly messageId?: string | undefined;
}

/** No call is to be made for the shop, or for one kind of its entities. */
export interface Pause {
  readonly shop: string;
  readonly from: number;
  readonly until: number;
  /** Undefined: all of the shop. */
  readonly queue?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const { received, parked, retried, planned, paused } = LOG_LINES;

const MEANINGS: ReadonlyMap<string, Fact['what']> = new Map([
  [received, 'received'],
  [parked, 'parked'],
  [retried, 'waits'],
  [planned, 'waits'],
  ...['applied', 'unchanged', 'superseded', 'skipped', 'handled'].map(
    (kind) => [kind, 'ended'] as const,
  ),
]);

/** Ids and codes: a day of them is kept in files. */
const KEPT = [
  ...(['shop', 'kind', 'id', 'topic', 'calls', 'state', 'again'] as const),
  ...(['why', 'afterSeconds', 'messageId'] as const),
];

/** Undefined for a line that is about no delivery. */
export function factIn(at: number, message: string, fields: Fields): Fact | undefined {
  const what = MEANINGS.get(message);
  const { correlationId: delivery } = fields;
  if (!what || typeof delivery !== 'string') return undefined;
  const kept = Object.fromEntries(KEPT.map((name) => [name, fields[name]]));
  return { ...(kept as Pick<Fact, (typeof KEPT)[number]>), at, what, delivery };
}

/** The service asked for it. Undefined for another line, and where one process for shoppers stops its own calls. */
export function pauseIn(from: number, message: string, fields: Fields): Pause | undefined {
  if (message !== paused || fields.of === 'shoppers') return undefined;
  return { shop: String(fields.shop), from, until: Date.parse(String(fields.until)) };
}

/** The fields of a line as a function wrote it, behind what an export puts before it; undefined for any other. */
export function fieldsIn(text: string): Fields | undefined {
  const begins = text.indexOf('{');
  // Metrics are half of all lines.
  if (begins === -1 || text.startsWith('{"_aws"', begins)) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(begins));
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

const PARTS = 64;
const HELD_CHARACTERS = 64 * 1024;

/** Facts by entity, in files: of a day with a million lines one part of 64 is in memory at a time. */
export class SpilledFacts {
  readonly #folder = mkdtempSync(join(tmpdir(), 'loyalty-connector-audit-'));
  readonly #held = Array.from({ length: PARTS }, () => '');

  add(fact: Fact): void {
    const part = Number.parseInt(hash('sha256', entityOf(fact)).slice(0, 8), 16) % PARTS;
    this.#held[part] += `${JSON.stringify(fact)}\n`;
    if ((this.#held[part]?.length ?? 0) > HELD_CHARACTERS) this.#write(part);
  }

  /** All facts of one entity after those of another, each in the order in which they happened. */
  *entities(): Generator<readonly Fact[]> {
    for (const part of this.#held.keys()) {
      this.#write(part);
      const lines = readFileSync(this.#fileOf(part), 'utf8').split('\n').slice(0, -1);
      const facts = lines.map((line): Fact => JSON.parse(line));
      for (const some of Map.groupBy(facts, entityOf).values()) {
        yield some.sort((one, other) => one.at - other.at);
      }
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fileOf = (part: number) => join(this.#folder, String(part));

  #write(part: number): void {
    appendFileSync(this.#fileOf(part), this.#held[part] ?? '');
    this.#held[part] = '';
  }
}

const entityOf = ({ shop, kind, id }: Fact): string => `${shop}/${kind}/${id}`;
