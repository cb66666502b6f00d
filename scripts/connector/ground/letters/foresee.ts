import type { EntityKey, StoreEvent } from '../../../../shared/core/events/event.ts';
import type { Outcome } from '../../../../shared/core/events/outcome.ts';
import type { EntityEntry, Ledger } from '../../../../shared/core/ledger/ledger.ts';
import type { CouponForm, OrderForm } from '../../../../shared/core/mapping/wanted-state.ts';
import type { Task } from '../../../../shared/core/store/store.ts';
import {
  type Preview,
  type PreviewDeps,
  type PreviewedCall,
  previewSync,
} from '../../../../shared/core/sync/preview-sync.ts';
import { workerRewards } from '../../../../shared/services/rewards.ts';
import { byDomain } from '../../../../shared/services/shop-loyalty.ts';
import { type Deployment, openLedger } from '../session/deployment.ts';
import { explainAwsError } from '../session/explain-aws-error.ts';
import { openShopServices } from '../session/services.ts';
import type { CommonOptions } from '../session/session.ts';
import { text } from '../terminal/document.ts';
import { type LetterReader, letterReaderOf, OBSTACLES, type Obstacle } from './replay-letters.ts';

export interface ExaminingDeps extends LetterReader {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly shop: (domain: string) => PreviewDeps;
}

/** What would become of a message if it were sent now. */
export type Prospect =
  | { readonly kind: 'preview'; readonly preview: Preview; readonly asksStore?: boolean }
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle }
  /** No event of the store: its worker decides by what it then finds. */
  | { readonly kind: 'storefront' }
  /** The store, or a secret that opens it, could not be had. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** What a worker would do with the event now. */
export async function foresee(
  event: StoreEvent,
  key: EntityKey | undefined,
  entry: EntityEntry | undefined,
  deps: ExaminingDeps,
): Promise<Prospect> {
  const reading = deps.read(event);
  if (reading.kind === 'task') return reading;
  if (reading.kind === 'unreadable' || !key) return { kind: 'obstacle', obstacle: 'unreadable' };
  try {
    const preview = await previewSync(key, { event, reading }, entry, deps.shop(event.shop));
    return { kind: 'preview', preview };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** As the workers of this deployment see it. */
export function examiningDeps(deployment: Deployment): ExaminingDeps {
  const { connector } = deployment;
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  return {
    ledger,
    ...letterReaderOf(connector.shops),
    shop: byDomain(connector, ({ rules }) => {
      const { assumptions } = connector.loyalty;
      const rewards = workerRewards(connector);
      return { store, ledger, rules, assumptions, rewards, now: () => new Date() };
    }),
  };
}

export type RevealOptions = CommonOptions & { readonly reveal?: boolean };

/** What would be sent. People are masked unless they are to be revealed. */
export function prospectData(prospect: Prospect, options: RevealOptions) {
  const { calls = [], outcome } = prospect.kind === 'preview' ? prospect.preview : {};
  return {
    ...{ summary: describeProspect(prospect, options), ...(outcome && { outcome }) },
    calls: calls.map((call) => ({
      ...call,
      ...(call.body && !options.reveal && { body: maskCall(call) }),
    })),
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
  switch (prospect.kind) {
    case 'obstacle':
      return `It cannot be sent again: ${OBSTACLES[prospect.obstacle]}.`;
    case 'storefront':
      return 'Its worker would decide by what it finds then: an older balance never replaces a newer one, and a redemption goes on from where it stands.';
    case 'task':
      return prospect.task.kind === 'skip'
        ? `Nothing would be sent: it is skipped (${prospect.task.why}).`
        : 'It is no state to send: its worker would do what it asks for.';
    case 'unknown': {
      const { error } = prospect;
      const known = explainAwsError(error, options)?.message;
      const words = known ?? (error instanceof Error ? error.message : String(error));
      return `This is not known now, because the store could not be asked: ${words}`;
    }
    case 'preview': {
      const { asksStore, preview } = prospect;
      const first = asksStore ? 'Its body cannot be used, so the store is asked instead. ' : '';
      const asked = preview.storeAsked && !asksStore ? ' The store was asked.' : '';
      return `${first}${describeOutcome(preview.outcome)}${asked}`;
    }
  }
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
