import type { NamedReference, StoreOrder } from '../../store/store-entities.ts';
import type { OrderRules } from './mapping-rules.ts';
import type { RememberedOrder } from './remembered.ts';
import type { ReferenceForm } from './wanted-state.ts';

/**
 * How it was paid: by card brand and type where a source saw them, by gateway otherwise. A source that
 * does not see the card does not replace what another has seen.
 */
export function paymentMethod(
  order: StoreOrder,
  remembered: RememberedOrder | undefined,
): ReferenceForm | undefined {
  const card = order.card ?? remembered?.card;
  if (card !== undefined) {
    const name = [card.brand, card.type].filter((part) => part !== undefined).join(' ');
    return { OriginalId: slug(name), Name: name };
  }
  const [gateway] = order.paymentGateways;
  return gateway === undefined ? undefined : { OriginalId: gateway, Name: gateway };
}

/** Only for orders of a till: other orders may have a location and staff, too, but were not sold there. */
export function pointOfSale(
  order: StoreOrder,
  remembered: RememberedOrder | undefined,
): { readonly branch: ReferenceForm | undefined; readonly salesPerson: ReferenceForm | undefined } {
  if (!order.pointOfSale) return { branch: undefined, salesPerson: undefined };
  return {
    branch: referenceForm(order.location, remembered?.branch),
    salesPerson: referenceForm(order.staff, remembered?.salesPerson),
  };
}

/** True when a setting needs a name or a card that neither this snapshot nor the ledger has. */
export function needsEnrichment(
  order: StoreOrder,
  { enrich }: Pick<OrderRules, 'enrich'>,
  remembered: RememberedOrder | undefined,
): boolean {
  const card = enrich.cardDetails && !order.card && !remembered?.card;
  if (card && order.paymentGateways.length > 0) return true;
  if (!order.pointOfSale) return false;
  const unnamed = (reference: NamedReference | undefined, earlier: ReferenceForm | undefined) =>
    reference !== undefined && !reference.name && earlier?.OriginalId !== reference.id;
  return (
    (enrich.locationNames === true && unnamed(order.location, remembered?.branch)) ||
    (enrich.staffNames === true && unnamed(order.staff, remembered?.salesPerson))
  );
}

/**
 * A webhook has the id only: a name known earlier stays, else the id is the name. Without its
 * access scope, the app does not see even the id: then what was known stays.
 */
function referenceForm(
  reference: NamedReference | undefined,
  earlier: ReferenceForm | undefined,
): ReferenceForm | undefined {
  if (reference === undefined) return earlier;
  const known = earlier?.OriginalId === reference.id ? earlier.Name : undefined;
  return { OriginalId: reference.id, Name: reference.name ?? known ?? reference.id };
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
