import type { OutsideCall, Treat, Treatment } from './outside-line.ts';

/** The first treatment that is not to let a call pass. */
export const both =
  (...treats: readonly Treat[]): Treat =>
  async (call) => {
    for (const treat of treats) {
      const treatment = await treat(call);
      if (treatment !== 'pass') return treatment;
    }
    return 'pass';
  };

export type Calls = (call: OutsideCall) => boolean;

/** The call that spends points. */
export const isRedeem: Calls = ({ name }) => name === 'POST /POS/rewards/*/redeem';
/** The call that gives them back. */
export const isCancel: Calls = ({ name }) => name.startsWith('DELETE /POS/rewards');
/** The call that makes the code in the store. */
export const isCodeMade: Calls = ({ name }) => /^discountCode\w+Create$/.test(name);

export const always =
  (calls: Calls, treatment: Treatment): Treat =>
  (call) =>
    calls(call) ? treatment : 'pass';

/** Only the first of these calls. */
export function once(calls: Calls, treatment: Treatment): Treat {
  let met = false;
  return (call) => {
    if (met || !calls(call)) return 'pass';
    met = true;
    return treatment;
  };
}

export const at =
  (index: number): Calls =>
  (call) =>
    call.index === index;

/** Holds these calls back until it is opened. */
export function gate(calls: Calls) {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const treat = async (call: OutsideCall): Promise<Treatment> => {
    if (calls(call)) {
      reached.resolve();
      await opened.promise;
    }
    return 'pass';
  };
  return { treat, reached: reached.promise, open: () => opened.resolve() };
}

/** As the store says it, for a reason that no repetition changes. */
export const codeRefused: Treat = (call) =>
  isCodeMade(call)
    ? {
        answer: {
          data: {
            [call.name]: {
              codeDiscountNode: null,
              userErrors: [
                {
                  field: ['basicCodeDiscount', 'customerGets'],
                  message: 'Value is invalid',
                  code: 'INVALID',
                  extraInfo: null,
                },
              ],
            },
          },
        },
      }
    : 'pass';
