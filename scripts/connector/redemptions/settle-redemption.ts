import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue } from '../../../shared/aws/sqs-event-queue.ts';
import { openBook } from '../../../shared/core/redeem/open-book.ts';
import type { Redemption } from '../../../shared/core/redeem/redemption.ts';
import { findRedemption } from '../../../shared/core/redeem/redemption-book.ts';
import {
  foresee,
  type OperatorWord,
  settleRedemption,
} from '../../../shared/core/redeem/settle-redemption.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import {
  checkCustomer,
  describeState,
  openRedemptions,
  redemptionDocument,
  type ShopOption,
} from './redemptions.ts';

export interface SettleOptions extends ShopOption {
  readonly happened?: boolean;
  readonly code?: string;
  readonly didNotHappen?: boolean;
  readonly yes?: boolean;
}

/** Records what a person found in the loyalty service; the worker does the rest. */
export async function settleCommand(
  session: Session,
  customer: string,
  id: string,
  options: SettleOptions,
): Promise<ExitCode> {
  const { terminal, json } = session;
  const word = wordOf(options);
  const customerId = checkCustomer(customer);
  const opened = await openRedemptions(session, options);
  const { deployment, shop } = opened;
  const whose = { shop: shop.domain, customerId };
  const before = findRedemption(await openBook(whose, opened).read(), id);
  if (!before) {
    throw new Problem(
      `Customer ${customerId} has no redemption ${id}.`,
      `npx loyalty-connector redemptions show ${customerId} lists its redemptions.`,
    );
  }
  const foreseen = foresee(before, word, opened.now());
  if (!foreseen) throw notSettled(before);
  if (!options.yes) {
    const { word: state } = describeState(before);
    if (json)
      terminal.json({ changed: false, ...redemptionDocument({ customerId, redemption: before }) });
    else terminal.line(`It is ${state}. Nothing was changed. With --yes ${consequence(foreseen)}.`);
    return EXIT.fine;
  }
  const balances = deployment.output('BalancesQueueUrl');
  const queue = createSqsEventQueue(new SQS(deployment.aws), { balances });
  const settled = await settleRedemption(whose, id, word, { ...opened, queue });
  if (settled.kind !== 'settled') {
    throw notSettled(settled.kind === 'not-found' ? before : settled.redemption);
  }
  const { redemption } = settled;
  if (json) terminal.json({ changed: true, ...redemptionDocument({ customerId, redemption }) });
  else terminal.line(`Done: ${consequence(redemption)}.`);
  return EXIT.fine;
}

function wordOf({ happened, code, didNotHappen }: SettleOptions): OperatorWord {
  if (happened === didNotHappen) {
    throw new BadArguments('give --happened or --did-not-happen.');
  }
  if (didNotHappen) {
    if (code !== undefined) throw new BadArguments('--code goes with --happened.');
    return { kind: 'operator-did-not-happen' };
  }
  if (code !== undefined && !/^\S{1,255}$/.test(code)) {
    throw new BadArguments('--code must be a code without spaces.');
  }
  return { kind: 'operator-happened', ...(code !== undefined && { code }) };
}

function notSettled(redemption: Redemption): Problem {
  return new Problem(
    `Nothing was changed: the redemption is ${describeState(redemption).word}.`,
    'A pending redemption accepts --happened or --did-not-happen; a lost one accepts --happened, to create its code again, with another --code if necessary.',
  );
}

function consequence({ state }: Redemption): string {
  return 'code' in state
    ? `the customer gets the code ${state.code.code}`
    : 'the customer can redeem the reward again';
}
