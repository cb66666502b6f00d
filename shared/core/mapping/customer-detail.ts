import type { DetailSource } from '../../config/mapping-settings.ts';
import { LOCALIZED_FIELDS, type StoreMember, type StoreOrder } from '../../store/store-entities.ts';
import type { OrderRules } from './mapping-rules.ts';
import { askMerchant } from './merchant-function.ts';
import type { MappingFault } from './wanted-state.ts';

export type Detail =
  | { readonly kind: 'value'; readonly value: string | undefined }
  /** This snapshot does not carry it; another source of the same order may. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'fault'; readonly fault: MappingFault };

/** Finds a detail of the customer where the merchant keeps it. Blank counts as absent. */
export function findDetail(
  setting: 'document' | 'birthday',
  source: DetailSource | undefined,
  order: StoreOrder,
): Detail {
  if (source === undefined) return { kind: 'value', value: undefined };
  if (typeof source === 'function') {
    const answer = askMerchant(setting, source, order, isTextOrAbsent, 'text or undefined');
    return answer.kind === 'value' ? { kind: 'value', value: filled(answer.value) } : answer;
  }
  if (source.from === 'note-attribute') {
    const attribute = order.noteAttributes.find(({ name }) => name === source.name);
    return { kind: 'value', value: filled(attribute?.value) };
  }
  if (order.metafields === undefined) return { kind: 'unseen' };
  const wanted =
    source.from === 'metafield'
      ? source
      : ({ owner: 'order', namespace: LOCALIZED_FIELDS, key: source.key } as const);
  const metafield = order.metafields.find(
    ({ owner, namespace, key }) =>
      owner === wanted.owner && namespace === wanted.namespace && key === wanted.key,
  );
  return { kind: 'value', value: filled(metafield?.value) };
}

/** True when a rule needs metafields that this snapshot does not carry. */
export function needsMetafields(
  order: StoreOrder,
  { document, birthday }: Pick<OrderRules, 'document' | 'birthday'>,
): boolean {
  return [document, birthday].some(
    (source) => typeof source === 'object' && source.from !== 'note-attribute' && !order.metafields,
  );
}

/** Undefined where only an order says it, and for what this snapshot does not carry. */
export function findMemberDetail(
  source: DetailSource | undefined,
  { metafields }: Pick<StoreMember, 'metafields'>,
): string | undefined {
  if (!isOfCustomer(source)) return undefined;
  const { namespace, key } = source;
  return filled(metafields?.find((one) => one.namespace === namespace && one.key === key)?.value);
}

/**
 * True when a rule needs metafields that this snapshot of a customer does not carry. A webhook never
 * does, so that even one that changes nothing else may bring a new birthday.
 */
export function hidesDetails(
  { metafields }: Pick<StoreMember, 'metafields'>,
  { document, birthday }: Pick<OrderRules, 'document' | 'birthday'>,
): boolean {
  return !metafields && [document, birthday].some(isOfCustomer);
}

type Metafield = Extract<DetailSource, { readonly from: 'metafield' }>;

function isOfCustomer(source: DetailSource | undefined): source is Metafield {
  return typeof source === 'object' && source.from === 'metafield' && source.owner === 'customer';
}

function isTextOrAbsent(answer: unknown): answer is string | undefined {
  return answer === undefined || typeof answer === 'string';
}

function filled(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
