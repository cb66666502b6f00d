import type { CouponForm, OrderForm } from '../../../../shared/core/mapping/wanted-state.ts';
import type { PreviewedCall } from '../../../../shared/core/sync/preview-sync.ts';

/** Of what goes to the loyalty service, the parts that are about a person, or may be. */
const PERSONAL: ReadonlySet<string> = new Set<keyof OrderForm | keyof CouponForm>([
  'Customer',
  'SalesPerson',
  // What a merchant's own function puts there is not known here.
  'Metadatas',
]);

/** An id identifies a person only for those who may look it up. */
const SHOWN_WITHIN: ReadonlySet<string> = new Set(['OriginalId']);

const MASK = '•••';

export function isPersonal(field: string): boolean {
  return PERSONAL.has(field);
}

/** The form as it is built, without what it says of people. */
export function maskPersonal(form: object): object {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, isPersonal(name) ? maskAll(value) : value]),
  );
}

/** A form that is about nothing but a person. */
export function maskPerson(form: object): object {
  return Object(maskAll(form));
}

/** The body of a call, without what it says of people. */
export function maskCall({ operation, body = {} }: PreviewedCall): object {
  return operation === 'upsertCustomer' ? maskPerson(body) : maskPersonal(body);
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        SHOWN_WITHIN.has(name) ? field : maskAll(field),
      ]),
    );
  }
  return typeof value === 'string' || typeof value === 'number' ? MASK : value;
}
