import type { OperationId } from '../../shared/loyalty/operation-id.ts';
import type { Random } from '../seeded-random.ts';
import type { Call, Program } from './call.ts';
import type { Contract } from './contract.ts';
import type { DataFile } from './data-file.ts';
import type { EventAddressOf } from './events/event-addresses.ts';
import { EventSender } from './events/event-sender.ts';
import { createEventPost } from './events/post-event.ts';
import type { ErrorNumber } from './faults/fault-rule.ts';
import { Faults } from './faults/faults.ts';
import { RateLimit } from './http/rate-limit.ts';
import { createRouter, type Router } from './http/router.ts';
import { Journal, type JournalEntry } from './journal.ts';
import type { Context } from './program/context.ts';
import type { ServerSettings } from './server-settings.ts';
import type { SandboxSettings } from './settings.ts';
import type { Change, Tables } from './tables.ts';

export interface ServiceParts {
  readonly contract: Contract;
  readonly settings: SandboxSettings;
  readonly serverSettings: ServerSettings;
  readonly tables: Tables;
  /** What the program looks at, for whoever shows its state. */
  readonly context: Context;
  /** Called again after a reset, with the tables empty. */
  readonly createProgram: () => Program;
  /** An answer of HTTP 200 that reports this error in the operation's own envelope. */
  readonly fail: (operation: OperationId, code: ErrorNumber) => unknown;
  readonly addressOf: EventAddressOf;
  readonly dataFile: DataFile | undefined;
  readonly faultRandom: Random;
  readonly now: () => Date;
}

/** Everything behind the HTTP server. */
export class Service {
  readonly parts: ServiceParts;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly route: Router;
  readonly rateLimit: RateLimit;
  #program: Program;
  #events: EventSender;
  /** What the data file refused, as when the disk is full: it goes with the next that it takes. */
  #unsaved: Change[] = [];

  constructor(parts: ServiceParts) {
    const { contract, tables, settings, serverSettings } = parts;
    this.parts = parts;
    this.journal = new Journal(tables, serverSettings.journalLimit);
    this.faults = new Faults(
      parts.faultRandom,
      contract.operations.map(({ operationId }) => operationId),
    );
    this.route = createRouter(contract.operations);
    this.rateLimit = new RateLimit(settings.rateLimit.perSecond);
    this.#program = parts.createProgram();
    this.#events = this.#createSender();
    this.#save();
    this.#events.resume();
  }

  get events(): EventSender {
    return this.#events;
  }

  /** Throws where the program does. */
  answer(call: Call): unknown {
    return this.#program.answer(call);
  }

  /** Keeps the entry together with what the call changed: both are safe before it is answered. */
  record(entry: Omit<JournalEntry, 'n'>): void {
    this.journal.add(entry);
    this.#events.accept(this.#save());
  }

  /** As on the very first start, but the numbers of the journal go on. */
  async reset(): Promise<void> {
    await this.#events.stop();
    const { tables } = this.parts;
    for (const { table, key } of [...tables.all()]) {
      if (!table.startsWith('journal')) tables.table(table).delete(key);
    }
    this.clearJournal();
    this.faults.clear();
    this.#program = this.parts.createProgram();
    this.#events = this.#createSender();
    this.#save();
  }

  clearJournal(): void {
    this.journal.clear();
    this.#save();
  }

  async stop(): Promise<void> {
    await this.#events.stop();
    this.parts.dataFile?.close();
  }

  #save(): readonly Change[] {
    const changes = this.parts.tables.takeChanges();
    this.#unsaved.push(...changes);
    if (this.#unsaved.length > 0) this.parts.dataFile?.append(this.#unsaved);
    this.#unsaved = [];
    return changes;
  }

  #createSender(): EventSender {
    const { tables, serverSettings: settings, addressOf, now } = this.parts;
    return new EventSender({
      tables,
      addressOf,
      post: createEventPost(settings.eventTimeoutMs),
      attempts: settings.eventAttempts,
      firstDelayMs: settings.eventFirstDelayMs,
      longestDelayMs: settings.eventLongestDelayMs,
      kept: settings.eventsKept,
      now,
      save: () => this.#save(),
    });
  }
}
