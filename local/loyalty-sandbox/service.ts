import { CostBucket } from '../sandbox-kit/cost-bucket.ts';
import { createSaver, type DataFile } from '../sandbox-kit/data-file.ts';
import { Faults } from '../sandbox-kit/faults.ts';
import { Journal } from '../sandbox-kit/journal.ts';
import type { Neighbours } from '../sandbox-kit/pages/layout.ts';
import { seededRandom } from '../sandbox-kit/seeded-random.ts';
import type { Change, Tables } from '../sandbox-kit/tables.ts';
import type { Call, Program } from './call.ts';
import { type Contract, createRouter, type Router } from './contract.ts';
import { createEventPost, EventSender } from './events/event-sender.ts';
import type { Subscription, Subscriptions } from './events/subscriptions.ts';
import { type FaultRule, faultRuleOf } from './fault-rule.ts';
import type { JournalEntry, NewEntry } from './journal.ts';
import type { Context } from './program/context.ts';
import type { SandboxSettings, ServerSettings } from './settings.ts';

export interface ServiceParts {
  readonly contract: Contract;
  readonly settings: SandboxSettings;
  readonly serverSettings: ServerSettings;
  readonly tables: Tables;
  /** What the program looks at, for the page that shows its state. */
  readonly context: Context;
  /** Called again after a reset, with the tables empty. */
  readonly createProgram: () => Program;
  readonly subscriptions: Subscriptions;
  readonly dataFile: DataFile | undefined;
  readonly neighbours?: Neighbours | undefined;
  readonly seed: number;
  readonly now: () => Date;
  /** Moves `now` ahead. */
  readonly advance: (ms: number) => void;
}

export interface BuiltInStep {
  readonly operation: 'sendOrder' | 'cancelOrder' | 'upsertCustomer';
  /** Of the order, where the operation's path has one. */
  readonly id?: string;
  readonly body: object;
}

/** Everything behind the HTTP server. */
export class Service {
  readonly parts: ServiceParts;
  readonly route: Router;
  // A reset makes these anew.
  journal: Journal<JournalEntry>;
  faults: Faults<FaultRule>;
  rateLimit: CostBucket;
  events: EventSender;
  #program: Program;
  #save: () => readonly Change[];
  /** Resets come one after the other. */
  #lastReset: Promise<void> = Promise.resolve();

  constructor(parts: ServiceParts) {
    this.parts = parts;
    this.#save = createSaver(parts.tables, parts.dataFile);
    this.route = createRouter(parts.contract.operations);
    ({
      program: this.#program,
      journal: this.journal,
      faults: this.faults,
      rateLimit: this.rateLimit,
    } = this.#begin());
    this.#save();
    this.events = this.#startSender();
  }

  /** Throws where the program does. */
  answer(call: Call): unknown {
    return this.#program.answer(call);
  }

  /** What an integration that is built into the service does: no call, so the journal has no entry. */
  integrate({ operation, id = '', body }: BuiltInStep): unknown {
    const faults = this.parts.contract.validateRequest(operation, body);
    const call = { operation, path: { orderId: id }, query: {}, body, faults } as const;
    const answer = this.#program.answer({ ...call, isBuiltIn: true });
    this.events.accept(this.#save());
    return answer;
  }

  /** Lets time pass: points become due and cancellations show, with their events. */
  advance(ms: number): void {
    this.parts.advance(ms);
    this.#program.settleDue();
    this.events.accept(this.#save());
  }

  /** Keeps the entry together with what the call changed: both are safe before it is answered. */
  record(entry: NewEntry): void {
    this.journal.add(entry);
    this.events.accept(this.#save());
  }

  /**
   * As on the very first start, except for two counts: that of the journal goes on, and that of the
   * starts, without which a later start would draw the codes of this one again. When it rejects,
   * nothing was reset.
   */
  reset(): Promise<void> {
    const reset = this.#lastReset.then(() => this.#reset());
    this.#lastReset = reset.catch(() => {});
    return reset;
  }

  /** Throws on what no panel would accept. */
  subscribe(subscription: Subscription): void {
    this.parts.subscriptions.enter(subscription);
    this.#save();
  }

  /** False where there is no such subscription. */
  switchOn(name: string): boolean {
    const isKnown = this.parts.subscriptions.switchOn(name);
    this.#save();
    return isKnown;
  }

  clearJournal(): void {
    this.journal.clear();
    this.#save();
  }

  async stop(): Promise<void> {
    await this.#lastReset;
    await this.events.stop();
    this.parts.dataFile?.close();
  }

  async #reset(): Promise<void> {
    const { tables, dataFile } = this.parts;
    await this.events.stop();
    try {
      const kept = [this.journal.numbering(), ...tables.all('starts')];
      dataFile?.rewrite(kept);
      tables.replaceAll(kept);
      this.#save = createSaver(tables, dataFile);
      ({
        program: this.#program,
        journal: this.journal,
        faults: this.faults,
        rateLimit: this.rateLimit,
      } = this.#begin());
    } finally {
      this.events = this.#startSender();
    }
  }

  #begin() {
    const { contract, tables, settings, serverSettings, createProgram, seed } = this.parts;
    const { perSecond } = settings.rateLimit;
    const operations = contract.operations.map(({ operationId }) => operationId);
    return {
      program: createProgram(),
      journal: new Journal<JournalEntry>(tables, serverSettings.journalLimit),
      // Draws of its own, so that a fault added does not change what the program draws.
      faults: new Faults(seededRandom(~seed), faultRuleOf(operations)),
      rateLimit: new CostBucket(Math.max(1, perSecond), perSecond),
    };
  }

  /** It takes up what an earlier one left. */
  #startSender(): EventSender {
    const { tables, serverSettings, subscriptions, settings, now } = this.parts;
    const post = createEventPost(serverSettings.eventTimeoutMs, settings, now);
    const save = () => this.#save();
    const sender = new EventSender({ tables, subscriptions, post, serverSettings, now, save });
    sender.resume();
    return sender;
  }
}
