import { PaymentMethodHandler } from '@vendure/core';

/**
 * The server, whose payment provider never answers to a refund with this reason. It is asked within the transaction of
 * a modification, after the lines were changed and the plugin has written its row.
 */
const HELD = 'held';

type CreateRefund = (
  ctx: unknown,
  input: { readonly reason?: string },
  ...rest: unknown[]
) => unknown;

const provider = PaymentMethodHandler.prototype as unknown as { createRefund: CreateRefund };
const { createRefund } = provider;
provider.createRefund = async function heldRefund(ctx, input, ...rest) {
  if (input.reason === HELD) {
    process.stdout.write('a refund is held\n');
    await new Promise(() => {});
  }
  return createRefund.call(this, ctx, input, ...rest);
};
await import('../../../local/vendure-engine/server/server.ts');
