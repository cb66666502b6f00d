import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { Tables } from '../../../local/sandbox-kit/tables.ts';
import {
  type ActionInput,
  type ActionName,
  type ActionValue,
  act,
} from '../../../local/store-sandbox/model/actions.ts';
import { createIds } from '../../../local/store-sandbox/model/ids.ts';
import { openRows } from '../../../local/store-sandbox/model/rows.ts';
import { fillSampleStore } from '../../../local/store-sandbox/model/sample-store.ts';
import type { Announcement, World } from '../../../local/store-sandbox/model/world.ts';
import { buildPayload } from '../../../local/store-sandbox/payloads/build-payload.ts';
import { defaultShop, type ShopSettings } from '../../../local/store-sandbox/settings.ts';

interface SentWebhook {
  readonly topic: Announcement['topic'];
  /** As it is sent over HTTP. */
  readonly body: string;
}

/** A store without a server that collects what each action sends. */
export function openStore({
  shop = {},
  ids = 'usual',
  seed = 1,
}: {
  readonly shop?: Partial<ShopSettings>;
  readonly ids?: 'usual' | 'beyond-2^53';
  readonly seed?: number;
} = {}) {
  const rows = openRows(new Tables());
  const clock = { ms: Date.parse('2026-10-05T09:00:00.000Z') };
  const world: World = {
    rows,
    shop: { ...defaultShop, ...shop },
    ids: createIds(rows.counters, ids),
    random: seededRandom(seed),
    now: () => new Date(clock.ms),
  };
  fillSampleStore(world);
  const sent: SentWebhook[] = [];

  function run(name: ActionName, input: unknown) {
    clock.ms += 700;
    const outcome = act(world, name, input);
    if (outcome.kind === 'refused') return outcome;
    for (const announcement of outcome.announcements) {
      sent.push({
        topic: announcement.topic,
        body: JSON.stringify(buildPayload(world, announcement)),
      });
    }
    return outcome;
  }

  return {
    world,
    rows,
    clock,
    sent,
    attempt: (name: ActionName, input: unknown) => run(name, input),
    do<Name extends ActionName>(name: Name, input: ActionInput<Name>): ActionValue<Name> {
      const outcome = run(name, input);
      if (outcome.kind === 'refused') throw new Error(outcome.why);
      return outcome.value as ActionValue<Name>;
    },
    takeSent: () => sent.splice(0),
  };
}

export type OpenStore = ReturnType<typeof openStore>;
