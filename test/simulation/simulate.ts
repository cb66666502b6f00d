import type { LetterFilter } from '../../scripts/connector/ground/letters/read-letters.ts';
import {
  DEAD_LETTER_DAYS,
  deadLetterKey,
  readSummary,
} from '../../shared/core/batch/dead-letter.ts';
import { changeControl, wentLive } from '../../shared/core/calls/shop-pause.ts';
import { isKnown } from '../../shared/core/ledger/entry.ts';
import { ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import { createMemoryLedger, type MemoryLedger } from '../support/memory-ledger.ts';
import { joined } from './kernel/chance.ts';
import type { Fault, JournalLine, Violation } from './kernel/journal.ts';
import { BEGINNING, Kernel } from './kernel/kernel.ts';
import { Backfill } from './world/backfill.ts';
import { Rules, SHOP } from './world/connector.ts';
import { startEntityWorker } from './world/entity-worker.ts';
import { LedgerRestore } from './world/ledger-restore.ts';
import { LivingStore, type SentWebhook } from './world/living-store.ts';
import { LoyaltyService, REFUSED_ON_DEMAND } from './world/loyalty-service.ts';
import { Operator, OperatorPause, WakingOperator } from './world/operator.ts';
import { compareMembers, compareStates, judgeRedactions } from './world/oracles.ts';
import { disturbService } from './world/panel.ts';
import { type AllowsLetter, FAMILIES, type QueuedEntity, Queues } from './world/queues.ts';
import { watchOrders } from './world/watch-orders.ts';
import { WatchedTelemetry } from './world/watched-telemetry.ts';
import { Webhooks } from './world/webhooks.ts';
import { Workers } from './world/workers.ts';

export interface SimulationSettings {
  readonly seed: number;
  /** How many webhooks the store sends; ignored where `steps` are given. */
  readonly events: number;
  /** The numbers of the steps of the store's life. Default: as many as the events need. */
  readonly steps?: readonly number[];
  /** The faults, by name, that may happen. Default: all of the seed. */
  readonly only?: ReadonlySet<number> | undefined;
  readonly inWords?: boolean;
  /** The shop is only observed until the faults end; then it goes live. */
  readonly isObserved?: boolean;
}

export interface SimulationResult {
  readonly violations: readonly Violation[];
  /** Equal for equal runs. */
  readonly trace: string;
  readonly steps: readonly number[];
  readonly faults: readonly Fault[];
  readonly lines: readonly JournalLine[];
  readonly counts: {
    readonly webhooks: number;
    readonly deliveries: number;
    readonly accepted: number;
    readonly lost: number;
    readonly letters: number;
    /** All tasks: changes, arrivals, calls, their ends, time-outs. */
    readonly happened: number;
    readonly virtualHours: number;
    readonly outcomes: ReadonlyMap<string, number>;
    /** What happened besides faults: changes in the store, clicks, what operators did. */
    readonly played: ReadonlyMap<string, number>;
  };
}

const MINUTE = 60_000;
const MERGE = 'customers/merge';

/** Each compares everything, unless a fault ends it. */
const MOST_RUNS = 12;

/** Longer than the four days of the retry window. */
const RETRY_WINDOW_MS = 5 * 24 * 60 * MINUTE;

/** Longer than a dead letter exists, and than reconcile waits for its replay. */
const LETTERS_GONE_MS = 16 * 24 * 60 * MINUTE;

/** One seed: a store changes under faults, then the faults end, and both sides must agree. */
export async function simulate(settings: SimulationSettings): Promise<SimulationResult> {
  const kernel = new Kernel(settings);
  const { time, journal, chance, rates } = kernel;
  const store = new LivingStore(kernel.now, rates.storeLags > 0);
  const { rows } = store.world;
  const queues = new Queues(kernel);
  // In some runs the first orders are from before go-live: only a backfill sends them.
  const goLive = chance(15) < 0.4 ? BEGINNING + chance(16) * 60 * MINUTE : 0;
  const knownSince = new Map<string, number>();
  const ledger = watchedLedger(goLive, (id) => {
    if (!knownSince.has(id)) knownSince.set(id, time.now);
  });
  const rules = new Rules(() => time.now, {
    // In some runs a person changes a rule for amounts: what was sent keeps its points.
    changeAt: chance(17) < 0.3 ? BEGINNING + chance(18) * 180 * MINUTE : 0,
    deactivates: chance(19) < 0.5,
  });
  if (rules.changeAt > 0) journal.play('changed rules');
  const { isObserved = false } = settings;
  rules.isObserved = isObserved;
  const backfill = new Backfill({ kernel, store, queues, goLive });
  const telemetry = new WatchedTelemetry(kernel);
  const loyalty = new LoyaltyService(kernel, {
    // So that the fallback of a refused cancellation is exercised.
    error13: 'cancel-completed',
  });
  const webhooks = new Webhooks(kernel, queues, telemetry);
  const drain = () => webhooks.deliveries.drain();
  const isGone = ({ kind, id }: QueuedEntity) =>
    (kind === 'order' && !rows.orders.get(id)) || (kind === 'product' && !rows.products.get(id));
  const allowsLetter: AllowsLetter = (letter, delivery, entity) => {
    const { reason, code } = letter;
    if (restore.leavesToPerson(letter, entity)) return true;
    // A person moves the points of a customer who is gone.
    if (delivery.startsWith(MERGE)) return reason === 'rejected';
    if (reason === 'unreadable') return webhooks.unreadable.has(delivery);
    // Its deletion was not announced, so events about it wait for the whole retry window.
    if (reason === 'retry-window-over') return entity !== undefined && isGone(entity);
    // A batch that ends before the newest message may send an older state of a cancelled order once more: no
    // action is needed, and the replay finds it superseded.
    return code === REFUSED_ON_DEMAND || code === 'ApiOrder_OrderIsCancelled';
  };
  const world = { kernel, queues, ledger, loyalty, store, telemetry, rules, allowsLetter };
  const seen = watchOrders({ ...world, knownSince, backfill });
  const startFunction = startEntityWorker(world);
  const workers = FAMILIES.map((family) => new Workers(world, family, startFunction));
  const operator = new Operator(world);
  const waking = new WakingOperator(world);
  const pause = new OperatorPause(world);
  const restore = new LedgerRestore(world, { goLive, mayHappen: !pause.happens && !isObserved });
  queues.onSent = (family) => workers.find((one) => one.family === family)?.poke(time.now + 2);

  // In these runs no person replays the dead letters: they expire.
  const lettersExpire = rates.rejections > 0 && chance(14) < 0.5;
  // Reconcile heals lost webhooks, states of a store that lags behind its own webhooks, and expired dead letters.
  // In these runs the service loses an order, and a person changes another.
  const disturbs = !isObserved && chance(20) < 0.2;
  const heals = rates.drops > 0 || rates.storeLags > 0 || lettersExpire || disturbs;
  if (heals) {
    // Reconcile needs one complete run first: the schedule starts one within the hour.
    kernel.calmFrom = 0;
    operator.reconcile(false);
    await time.passUntil(time.now + MINUTE);
    kernel.calmFrom = Number.POSITIVE_INFINITY;
  }
  const steps = await live();
  await pause.end();
  const lastStep = time.now;
  // Faults continue for a while after the last change in the store, an outage until its end.
  kernel.calmFrom = Math.max(lastStep + chance(12) * 60 * MINUTE, kernel.troubleEndsAt);
  if (isObserved) await goLiveNow();
  if (goLive > 0) await backfill.run();
  waking.wakeAfterFaults();
  await drain();
  await replay();
  if (webhooks.deliveries.lost > 0 || rates.storeLags > 0) await heal();
  if (restore.happened || isObserved) await recover();
  const stuck = queues.waiting.filter((entity) => !isGone(entity));
  if (stuck.length > 0) {
    const [{ kind, id } = { kind: '', id: '' }] = stuck;
    journal.violation('in-flight', `${stuck.length} messages never settle, as of ${kind} ${id}`);
  }
  if (queues.size > 0) {
    await time.passUntil(time.now + RETRY_WINDOW_MS);
    // Messages behind dropped ones may have been rejected for a state that is over.
    await replay({ reason: 'rejected' });
  }
  if (lettersExpire) {
    await time.passUntil(time.now + LETTERS_GONE_MS);
    queues.expireLetters();
    await heal();
  }
  if (queues.size > 0) journal.violation('in-flight', `${queues.size} messages outlive their time`);
  if (disturbs) {
    await scan();
    await disturbService({ ...world, seen, knownSince, scan });
  }
  judgeLetters();
  telemetry.judgeDay(queues.size === 0, restore.until);
  const disputesLost = [...webhooks.lostTopics].some((topic) => topic.startsWith('disputes/'));
  const isForgotten = (id: string) =>
    lettersExpire &&
    restore.happened &&
    !isKnown(ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'order', id })));
  const known = { seen, knownSince, disputesLost, restore, isForgotten };
  const compared = { kernel, store, loyalty, rules, ...known };
  await compareStates(compared);
  // Reconciliation does not scan customers.
  const lostMembers = [...webhooks.lostTopics].some((topic) => topic.startsWith('customers/'));
  if (!lostMembers && !lettersExpire && !isObserved) compareMembers(compared);
  if (!webhooks.lostTopics.has('customers/redact')) {
    judgeRedactions(compared, ledger, lettersExpire);
  }
  return resultOf(kernel, telemetry, webhooks.deliveries, {
    steps,
    webhooks: webhooks.made,
    accepted: webhooks.accepted,
    letters: FAMILIES.reduce((sum, family) => sum + queues.dead[family].size, 0),
  });

  /** A deployment alone must change nothing: only the command does. */
  async function goLiveNow(): Promise<void> {
    const isSilent = (when: string) => {
      const { orders, coupons, customers } = loyalty.rows;
      const changed = [orders, coupons, customers].some((table) => [...table.values()].length > 0);
      if (changed) journal.violation('observed', `the service was changed ${when}`);
    };
    await time.passUntil(kernel.calmFrom);
    await drain();
    isSilent('while the shop was observed');
    rules.isObserved = false;
    operator.reconcile(true);
    await drain();
    isSilent('before go-live');
    await changeControl(ledger, SHOP, (control) => wentLive(control, goLive, kernel.now()));
  }

  async function replay(filter?: LetterFilter): Promise<void> {
    if (!lettersExpire) operator.replay(filter);
    await drain();
  }

  async function scan(): Promise<void> {
    await time.passUntil(time.now + 40 * MINUTE);
    operator.reconcile(true);
    await drain();
  }

  async function heal(): Promise<void> {
    for (const deep of [true, false]) {
      // Reconcile does not compare changes of the last minutes.
      await time.passUntil(time.now + 40 * MINUTE);
      operator.reconcile(deep);
      await drain();
    }
  }

  /** Reconcile goes on by itself until everything was compared. */
  async function recover(): Promise<void> {
    for (let runs = 0; !(await restore.isRecovered()); runs += 1) {
      if (runs === MOST_RUNS) return journal.violation('recovery', 'the ledger stays in doubt');
      await time.passUntil(time.now + 40 * MINUTE);
      operator.reconcile(false);
      await drain();
    }
    await replay();
  }

  /** After the last replay, only dead letters may be left that no replay can solve. */
  function judgeLetters(): void {
    const there = new Set<string>();
    for (const family of FAMILIES) {
      for (const { attributes, body, groupId } of queues.dead[family].receive({ max: 1_000 })) {
        there.add(groupId);
        const { reason = 'crashed', why } = attributes;
        if (body.includes(MERGE)) continue;
        if (reason === 'unreadable' || reason === 'retry-window-over') continue;
        if ([...restore.forPerson].some((id) => body.includes(id))) continue;
        journal.violation(
          'letters-left',
          `after the replay a dead letter is left: ${reason}, ${why}`,
        );
      }
    }
    // A restored ledger lists dead letters that are gone: `dead-letters scan` looks at the queue.
    if (!restore.happened) judgeSummaries(there);
  }

  /** A crash may leave a dead letter without a summary, never a summary without its dead letter. */
  function judgeSummaries(there: ReadonlySet<string>): void {
    for (const [text, { remembered }] of ledger.entries) {
      const letterId = text.slice(ledgerKeyText(deadLetterKey('')).length);
      const letter =
        text === ledgerKeyText(deadLetterKey(letterId)) && readSummary(letterId, remembered);
      if (!letter || letter.gone || there.has(letterId)) continue;
      if (letter.at < time.now - DEAD_LETTER_DAYS * 86_400_000) continue;
      const what = `the dead letter ${letterId} has a summary, and the queue does not have it`;
      journal.violation('summary-without-letter', what);
    }
  }

  /** The phase of changes and faults. */
  async function live(): Promise<readonly number[]> {
    const taken: number[] = [];
    const hurry = chance(13);
    for (
      let index = 0;
      settings.steps ? index < settings.steps.length : webhooks.made < settings.events;
      index += 1
    ) {
      const step = settings.steps ? (settings.steps[index] ?? 0) : index;
      await time.passUntil(time.now + gapBefore(step, hurry));
      const done = settings.steps ? index / settings.steps.length : webhooks.made / settings.events;
      await restore.live(done);
      let draws = 0;
      const draw = () => chance(joined(21, step), draws++);
      taken.push(step);
      if (draw() < 0.01) {
        journal.play('unreadable webhook');
        webhooks.send([garbage(draw)], step, true);
      } else {
        const happened = store.step(draw);
        journal.note(step, () => `store: ${happened.words}`);
        if (happened.action) journal.play(happened.action);
        webhooks.send(happened.webhooks, step);
      }
      const drawn = chance(joined(22, step));
      if (goLive > 0 && drawn > 0.5 && drawn < 0.52) await backfill.run();
      if (heals && drawn < 0.02) operator.reconcile(drawn < 0.005);
      if (rates.rejections > 0 && !lettersExpire && drawn > 0.96) operator.replay();
      waking.step(step);
    }
    return taken;
  }

  /** Some stores change quickly, some pause for hours; often there are several changes in one second. */
  function gapBefore(step: number, hurry: number): number {
    const drawn = chance(joined(23, step));
    const size = chance(joined(24, step));
    if (drawn < 0.35) return drawn * 2_000 * size;
    if (drawn < 0.9 - 0.3 * hurry) return size * 20_000;
    return size * (hurry < 0.3 ? 90 * MINUTE : 5 * MINUTE);
  }
}

export function resultOf(
  { journal, time }: Kernel,
  { outcomes }: WatchedTelemetry,
  { delivered, lost }: Pick<Webhooks['deliveries'], 'delivered' | 'lost'>,
  {
    steps,
    ...counts
  }: Pick<SimulationResult, 'steps'> &
    Pick<SimulationResult['counts'], 'webhooks' | 'accepted' | 'letters'>,
): SimulationResult {
  const { violations, trace, faults, lines, played } = journal;
  return {
    ...{ violations, trace, steps, faults, lines },
    counts: {
      ...counts,
      ...{ deliveries: delivered, lost, happened: time.steps, outcomes, played },
      virtualHours: (time.now - BEGINNING) / 3_600_000,
    },
  };
}

/** `onKnown`: an order is about to be sent, or was. */
function watchedLedger(createdAt: number, onKnown: (id: string) => void): MemoryLedger {
  const ledger = createMemoryLedger(createdAt);
  return {
    ...ledger,
    write: async (key, entry, revision) => {
      const written = await ledger.write(key, entry, revision);
      const isKnown = entry.uncertain || entry.appliedKey !== undefined;
      if (key.kind === 'order' && isKnown && written.kind === 'written') onKnown(key.id);
      return written;
    },
  };
}

/** With a valid signature: a person must see unreadable bodies. */
function garbage(draw: () => number): SentWebhook {
  const id = Math.floor(draw() * 1e9);
  const body = draw() < 0.5 ? `{"id":${id},"line_items":` : `{"id":${id},"no":"order"}`;
  return { topic: 'orders/updated', body };
}
