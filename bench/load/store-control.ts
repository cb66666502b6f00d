import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ActionInput,
  ActionName,
  ActionValue,
} from '../../local/store-sandbox/model/actions.ts';
import type { State } from '../../local/store-sandbox/state.ts';

/** The store's own controls, over HTTP: it runs in a process that is killed now and then. */
export interface StoreControl {
  /**
   * Undefined: the store refused it (an order that is cancelled already), or it was killed meanwhile and
   * may or may not have done it.
   */
  act<Name extends ActionName>(
    name: Name,
    input: ActionInput<Name>,
  ): Promise<ActionValue<Name> | undefined>;
  state(): Promise<State>;
}

/** How long to wait before the next thing when there is no store. */
const AWAY_MS = 200;

export function createStoreControl(address: () => string | undefined): StoreControl {
  return {
    async act(name, input) {
      try {
        const answer = await fetch(`${address()}/sandbox/actions/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
        });
        const { result } = (await answer.json()) as { readonly result?: never };
        return result;
      } catch {
        await sleep(AWAY_MS);
        return undefined;
      }
    },
    async state() {
      return (await (await fetch(`${address()}/sandbox/state`)).json()) as State;
    },
  };
}
