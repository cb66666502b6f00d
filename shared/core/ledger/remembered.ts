import type { StoreOrder } from '../../store/order.ts';
import type {
  CustomerForm,
  OrderForm,
  ProductForm,
  ReferenceForm,
} from '../mapping/wanted-state.ts';

/** What the ledger knows of the entity that is being mapped. */
export interface KnownBefore {
  /** Something was applied, or a call that may have been was begun. */
  readonly known: boolean;
  /** As a mapping of the same kind gave it, when it was last applied. */
  readonly remembered: string | undefined;
  /** Of an order: it is told as history. */
  readonly history?: boolean;
}

/**
 * What the ledger keeps of an applied order: what a later snapshot may no longer say (its customer
 * was deleted) or cannot say (a webhook knows neither the card nor the names of staff and place).
 */
export interface RememberedOrder {
  /** What a cancellation in the form of an order needs, once the order itself is deleted. */
  readonly basics?: Pick<OrderForm, 'OrderPlacementDate' | 'OrderCompletedDate' | 'OrderTotal'>;
  readonly customer?: CustomerForm | undefined;
  readonly card?: StoreOrder['card'];
  readonly branch?: ReferenceForm | undefined;
  readonly salesPerson?: ReferenceForm | undefined;
}

/** The letter names the form and its version: an older one can be told apart after an upgrade. */
const ORDER = 'o1';
const PRODUCT = 'p1';

export function rememberOrder(order: RememberedOrder): string {
  return `${ORDER}${JSON.stringify(order)}`;
}

export function recallOrder(remembered: string | undefined): RememberedOrder | undefined {
  return recall<RememberedOrder>(remembered, ORDER);
}

/** A deleted product is sent once more as it last was, so all of it is kept. */
export function rememberProduct(product: ProductForm): string {
  return `${PRODUCT}${JSON.stringify(product)}`;
}

export function recallProduct(remembered: string | undefined): ProductForm | undefined {
  return recall<ProductForm>(remembered, PRODUCT);
}

/** Undefined for what another version wrote or redaction erased: forgetting must never be fatal. */
function recall<T>(remembered: string | undefined, form: string): T | undefined {
  if (!remembered?.startsWith(form)) return undefined;
  try {
    return JSON.parse(remembered.slice(form.length)) as T;
  } catch {
    return undefined;
  }
}
