import { type Amount, atLeastZero, subtract, sum } from './money.ts';

/** What an amount of store credit is made of. `gifts` and `refunds` are at least that much; the rest is either. */
export interface CreditMix {
  readonly gifts: Amount;
  readonly refunds: Amount;
  readonly unknown: Amount;
}

/** What is known of an amount after a part of it went back. */
export function creditLeft(mix: CreditMix, left: Amount): CreditMix {
  return divideCredit(mix, atLeastZero(subtract(creditIn(mix), left))).left;
}

export const creditIn = ({ gifts, refunds, unknown }: CreditMix): Amount =>
  sum([gifts, refunds, unknown]);

/** Takes an amount from a mix without knowing which part of it: what must be in it, and what must be left. */
export function divideCredit(
  mix: CreditMix,
  amount: Amount,
): { taken: CreditMix; left: CreditMix } {
  const rest = atLeastZero(subtract(creditIn(mix), amount));
  const least = (part: Amount, others: Amount) => atLeastZero(subtract(part, others));
  const withRest = (size: Amount, gifts: Amount, refunds: Amount): CreditMix => ({
    ...{ gifts, refunds },
    unknown: atLeastZero(subtract(size, sum([gifts, refunds]))),
  });
  return {
    taken: withRest(amount, least(mix.gifts, rest), least(mix.refunds, rest)),
    left: withRest(rest, least(mix.gifts, amount), least(mix.refunds, amount)),
  };
}
