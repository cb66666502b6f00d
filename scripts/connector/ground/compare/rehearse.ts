import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { ShopControl } from '../../../../shared/core/calls/shop-pause.ts';
import { readCustomer } from '../../../../shared/core/ledger/entry.ts';
import { ownCount, toThousandths } from '../../../../shared/core/ledger/ledger.ts';
import { versionOf } from '../../../../shared/core/store/store.ts';
import {
  type Decision,
  decide,
  type Gathered,
  parked,
} from '../../../../shared/core/sync/decide.ts';
import { nextCall } from '../../../../shared/core/sync/decide-order.ts';
import { type Deployment, openLedger, rulesOf } from '../session/deployment.ts';
import type { ShopServices } from '../session/services.ts';
import { readStore, type Sides } from './sides.ts';

/** What a worker would do for an order, in thousandths; of a refusal: why a person must decide. */
export type Would =
  | { readonly call: 'send' | 'take' | 'cancel'; readonly amount: number }
  | { readonly call: 'person'; readonly why: string };

/** By what the workers decide by, as if `control` held. Undefined: no call, or not all could be read. */
export async function rehearse(
  sides: Sides,
  control: ShopControl,
  given: { readonly deployment: Deployment; readonly services: ShopServices; readonly shop: Shop },
): Promise<Would | undefined> {
  const { key, entry, copies, held: answer, assumptions } = sides;
  const { deployment, services, shop } = given;
  const ledger = openLedger(deployment);
  const [copy] = copies;
  const now = new Date();
  let { store } = sides;
  let gathered: Omit<Gathered, 'snapshot'> = {
    ...{ key, entry, now, doubt: control.doubt, takeover: control.takeover },
    event: { receivedAt: now.toISOString() },
    rules: await rulesOf(shop, ledger, control),
    assumptions: { ...deployment.connector.loyalty.assumptions, ...assumptions },
    orderRetentionDays: deployment.connector.orderRetentionDays,
  };
  for (;;) {
    if (store.kind === 'unavailable' || answer.kind === 'unknown') return undefined;
    const entity = store.kind === 'found' ? store.value : ({ kind: 'gone' } as const);
    const version = store.kind === 'found' ? versionOf(store.value) : now.getTime();
    const snapshot = { kind: 'snapshot', entity, version, source: 'store' } as const;
    const decision = decide({ ...gathered, snapshot });
    switch (decision.kind) {
      case 'ask-store':
        store = await readStore(deployment, services, key, 'always');
        gathered = { ...gathered, askedForBook: true };
        continue;
      case 'ask-service': {
        const heldAs = copy && copy.id !== key.id && { heldAs: copy.id };
        gathered = { ...gathered, read: { held: copy?.order, ...heldAs } };
        continue;
      }
      case 'ask-customer': {
        const { id } = decision;
        gathered = { ...gathered, customer: await readCustomer({ shop: key.shop, id }, ledger) };
        continue;
      }
      case 'reject':
        return { call: 'person', why: decision.outcome.why };
      case 'apply-order':
        return callOf(decision, gathered);
      default:
        return undefined;
    }
  }
}

function callOf(
  { mapped: { wanted }, side }: Extract<Decision, { kind: 'apply-order' }>,
  { read, assumptions }: Pick<Gathered, 'read' | 'assumptions'>,
): Would | undefined {
  const next = nextCall(wanted, side, assumptions);
  const before = side.record?.completedAt === undefined ? 0 : ownCount(side.record);
  const counts = wanted.kind === 'order' && wanted.order.IsCompleted ? wanted.order.OrderTotal : 0;
  const amount = toThousandths(counts) - before;
  switch (next.kind) {
    case 'send':
      return { call: 'send', amount };
    case 'take':
      return { call: 'take', amount: -amount };
    case 'cancel':
      return read?.held && { call: 'cancel', amount: before };
    case 'person':
      return { call: 'person', why: parked(next.why).why };
    default:
      return undefined;
  }
}
