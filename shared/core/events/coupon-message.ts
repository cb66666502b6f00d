import type { StoreCoupon } from '../../store/coupon.ts';

/**
 * A coupon as it travels from the discount it belongs to, through the queue, to its own turn. The
 * number names the form of `StoreCoupon`: a message of another form is not misread, the store is
 * asked instead.
 */
const FORM = 1;

export function encodeCoupon(coupon: StoreCoupon): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ form: FORM, coupon }));
}

export function decodeCoupon(body: Uint8Array): StoreCoupon | undefined {
  try {
    const message = JSON.parse(new TextDecoder().decode(body));
    return message?.form === FORM && typeof message.coupon?.code === 'string'
      ? message.coupon
      : undefined;
  } catch {
    return undefined;
  }
}
