import { describe, expect, it } from 'vitest';
import {
  createPace,
  type Kept,
  type Portion,
  type Progress,
  type SendDeps,
  sendPortions,
} from '../../../scripts/connector/ground/compare/send.ts';
import type { StoreEvent } from '../../../shared/core/events/event.ts';

/** Three portions, larger than a window, and one without anything to send. */
const PAGES = [['1', '2', '3'], ['4', '5'], [], ['6', '7', '8']];
const ALL = PAGES.flat();
const WINDOW = 2;

/** Ends the process: what it has in memory is lost. */
class Killed extends Error {}

type State = Progress<number>;

/** What breaks at a step, before or after what it does. */
type Fault = 'killed before' | 'killed after' | 'refused' | 'interrupted';
const FAULTS: readonly Fault[] = ['killed before', 'killed after', 'refused', 'interrupted'];

/** A source, a queue and a place that outlive the process, and a fault at one of its steps. */
function openWorld() {
  const kept: { place: Kept<State> } = {
    place: { state: { place: 0, sent: 0, savedAt: '' }, revision: 0 },
  };
  const [queue, sends] = [new Set<string>(), [] as string[]];
  let stop = new AbortController();
  let [steps, faultAt, fault]: [number, number, Fault] = [0, Number.POSITIVE_INFINITY, 'refused'];
  let waiting = 501;

  /** `refuses`: what the step answers where it is refused. */
  async function step<T>(act: () => T, refuses: () => T): Promise<T> {
    steps += 1;
    if (steps !== faultAt) return act();
    if (fault === 'killed before') throw new Killed();
    if (fault === 'refused') return refuses();
    const result = act();
    if (fault === 'interrupted') stop.abort();
    else throw new Killed();
    return result;
  }
  const unanswered = (): never => {
    throw new Error('no answer');
  };

  async function* read({ place }: State): AsyncGenerator<Portion<number>> {
    for (const [index, ids] of PAGES.entries()) {
      if (index < place) continue;
      await step(() => undefined, unanswered);
      const next = index + 1 < PAGES.length ? index + 1 : undefined;
      const events = async (from: number, to: number) =>
        ids.slice(from, to).map((id) => ({ id }) as StoreEvent);
      yield { family: 'orders', count: ids.length, events, next };
    }
  }

  const deps = (): SendDeps<State> => ({
    queue: {
      async sendAll(events) {
        expect(waiting, 'the workers had enough to do').toBe(500);
        const take = (some: typeof events) => {
          for (const { id } of some) {
            queue.add(id);
            sends.push(id);
          }
          return [];
        };
        // A part of a window may arrive although its answer is lost.
        return step(
          () => take(events),
          () => {
            take(events.slice(1));
            return [{ event: events[0] as StoreEvent, code: 'Fault' }];
          },
        );
      },
    },
    depth: { of: () => step(() => ({ ready: waiting - 1, hidden: 1 }), unanswered) },
    ...{ pace: { ...createPace(WINDOW), before: () => 0 }, mostWaiting: 500 },
    ...{ now: () => new Date(0), signal: stop.signal, onProgress: () => {} },
    pause: async (ms) => {
      if (ms > 0 && waiting > 500) waiting -= 1;
    },
    save: (state, revision) =>
      step(() => {
        expect(revision).toBe(kept.place.revision);
        // Nothing is behind the place that the queue did not take.
        const behind = PAGES.slice(0, state.finishedAt ? PAGES.length : state.place).flat();
        expect([...queue].toSorted()).toEqual(expect.arrayContaining(behind));
        kept.place = { state, revision: revision + 1 };
        return revision + 1;
      }, unanswered),
  });

  return {
    ...{ queue, sends, kept },
    steps: () => steps,
    breakAt(step: number, how: Fault) {
      [steps, faultAt, fault] = [0, step, how];
    },
    /** As a new process: it knows only what was kept. */
    async run(): Promise<State> {
      stop = new AbortController();
      const { place } = kept;
      return place.state.finishedAt ? place.state : sendPortions(place, read, deps());
    },
  };
}

describe('sending portion by portion', () => {
  it.each(FAULTS)(
    'ends after a step that is %s and a repetition as if there had been none',
    async (fault) => {
      const whole = openWorld();
      expect(await whole.run()).toMatchObject({ sent: ALL.length, finishedAt: expect.any(String) });
      expect(whole.sends).toEqual(ALL);
      expect(whole.steps()).toBeGreaterThan(12);

      for (let at = 1; at <= whole.steps(); at += 1) {
        const world = openWorld();
        world.breakAt(at, fault);
        const ended = await world.run().then(
          (state) => (state.finishedAt ? 'finished' : 'stopped'),
          () => 'failed',
        );
        // An interruption lets the step end, which may be the last.
        if (fault === 'interrupted') expect(ended).not.toBe('failed');
        else expect(ended).toBe('failed');
        world.breakAt(Number.POSITIVE_INFINITY, fault);
        const state = await world.run();
        expect(state, `step ${at}`).toEqual((await whole.run()) as State);
        expect([...world.queue].toSorted(), `step ${at}`).toEqual(ALL);
        // One portion is repeated at most.
        expect(world.sends.length - ALL.length).toBeLessThanOrEqual(3);
      }
    },
  );

  it('says which messages the queue refused, and how to go on', async () => {
    const world = openWorld();
    world.breakAt(4, 'refused');
    await expect(world.run()).rejects.toThrow(
      expect.objectContaining({
        message: 'SQS did not take 1 of 2 messages (Fault).',
        next: 'Repeat the command: it continues where it stopped.',
      }),
    );
  });
});
