import type { EntityKey, StoreEvent } from '../../../../shared/core/events/event.ts';
import type { Outcome } from '../../../../shared/core/events/outcome.ts';
import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import type { CouponForm, OrderForm } from '../../../../shared/core/mapping/wanted-state.ts';
import type { ReadEvent } from '../../../../shared/core/store/store.ts';
import {
  type Preview,
  type PreviewDeps,
  type PreviewedCall,
  previewSync,
} from '../../../../shared/core/sync/preview-sync.ts';
import { createPlatformReader } from '../../../../shared/services/platforms.ts';
import { workerRewards } from '../../../../shared/services/rewards.ts';
import { byDomain } from '../../../../shared/services/shop-loyalty.ts';
import { type Deployment, openLedger } from '../session/deployment.ts';
import { explainAwsError } from '../session/explain-aws-error.ts';
import { openShopServices } from '../session/services.ts';
import type { CommonOptions } from '../session/session.ts';
import { text } from '../terminal/document.ts';

interface ForeseeingDeps {
  readonly read: ReadEvent;
  readonly shop: (domain: string) => PreviewDeps;
}

/** `unknown`: the store, or a secret that opens it, could not be had. */
export type Prospect =
  | { readonly kind: 'preview'; readonly preview: Preview }
  | { readonly kind: 'unknown'; readonly error: unknown };

/** What a worker would do now with a message that asks for an entity. */
export async function foresee(
  event: StoreEvent,
  key: EntityKey,
  entry: EntityEntry | undefined,
  deps: ForeseeingDeps,
): Promise<Prospect> {
  const reading = deps.read(event);
  if (reading.kind === 'task' || reading.kind === 'unreadable') {
    throw new Error(`${event.topic} asks for no entity`);
  }
  try {
    const preview = await previewSync(key, { event, reading }, entry, deps.shop(event.shop));
    return { kind: 'preview', preview };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** As the workers of this deployment see it. */
export function foreseeingDeps(deployment: Deployment): ForeseeingDeps {
  const { connector } = deployment;
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  return {
    read: createPlatformReader(connector.shops),
    shop: byDomain(connector, ({ rules }) => {
      const { assumptions } = connector.loyalty;
      const rewards = workerRewards(connector);
      return { store, ledger, rules, assumptions, rewards, now: () => new Date() };
    }),
  };
}

/** What would be sent, with people masked. */
export function prospectData(prospect: Prospect, options: CommonOptions) {
  const { calls = [], outcome } = prospect.kind === 'preview' ? prospect.preview : {};
  return {
    ...{ summary: describeProspect(prospect, options), ...(outcome && { outcome }) },
    calls: calls.map((call) => ({ ...call, ...(call.body && { body: maskCall(call) }) })),
  };
}

export function prospectBlocks({ summary, calls }: ReturnType<typeof prospectData>) {
  const shown = calls.map(({ operation, id, body }) => ({
    ...{ kind: 'code' as const, title: [operation, id].join(' ').trim() },
    text: body ? JSON.stringify(body, null, 2) : '(without a body)',
  }));
  return [text(summary), ...shown];
}

/** One sentence on what would happen to the message now. */
function describeProspect(prospect: Prospect, options: CommonOptions): string {
  if (prospect.kind === 'preview') {
    const { outcome, storeAsked } = prospect.preview;
    return `${describeOutcome(outcome)}${storeAsked ? ' The store was asked.' : ''}`;
  }
  const { error } = prospect;
  const known = explainAwsError(error, options)?.message;
  const words = known ?? (error instanceof Error ? error.message : String(error));
  return `This is not known now, because the store could not be asked: ${words}`;
}

function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'applied':
      return `It would be sent: ${outcome.calls.join(', then ')}.`;
    case 'unchanged':
      return 'Nothing would be sent: it is applied already (resend --force sends it all the same).';
    case 'superseded':
      return 'Nothing would be sent: a newer version was applied already.';
    case 'skipped':
      return `Nothing would be sent: it is skipped (${outcome.why}).`;
    case 'handled':
      return `It would be handled (${outcome.how}).`;
    case 'retry':
      return `It would wait and be tried again (${outcome.why}).`;
    case 'rejected':
      return `It would be refused again: ${outcome.why}.`;
  }
}

/** Of what goes to the loyalty service, the parts that are about a person, or may be. */
const PERSONAL: ReadonlySet<string> = new Set<keyof OrderForm | keyof CouponForm>([
  'Customer',
  'SalesPerson',
  // What a merchant's own function puts there is not known here.
  'Metadatas',
]);

const MASK = '•••';

/** The form as it is built, without what it says of people. */
export function maskPersonal(form: object): object {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => {
      // The settings name what is there; only the values can be a person's.
      if (name === 'Metadatas') return [name, maskAll(value, 'Name')];
      return [name, PERSONAL.has(name) ? maskAll(value, 'OriginalId') : value];
    }),
  );
}

/** A form that is about nothing but a person. An id identifies a person only for those who may look it up. */
export function maskPerson(form: object): object {
  return Object(maskAll(form, 'OriginalId'));
}

/** The body of a call, without what it says of people. */
export function maskCall({ operation, body = {} }: PreviewedCall): object {
  return operation === 'upsertCustomer' ? maskPerson(body) : maskPersonal(body);
}

/** Every text and number in it but those of the field that is `shown`. */
function maskAll(value: unknown, shown: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskAll(one, shown));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        name === shown ? field : maskAll(field, shown),
      ]),
    );
  }
  return typeof value === 'string' || typeof value === 'number' ? MASK : value;
}
