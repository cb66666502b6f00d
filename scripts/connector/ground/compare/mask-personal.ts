import type { CouponForm, OrderForm } from '../../../../shared/core/mapping/wanted-state.ts';

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
