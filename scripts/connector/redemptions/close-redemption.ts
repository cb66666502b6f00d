import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue } from '../../../shared/aws/sqs-event-queue.ts';
import {
  type ClosedAs,
  type Closing,
  closeRedemption,
  foreseeClosing,
} from '../../../shared/core/redeem/resume-redemption.ts';
import { findRedemption, openBook } from '../../../shared/core/redemptions/redemption-record.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import {
  checkCustomer,
  describeState,
  openRedemptions,
  redemptionDocument,
  type ShopOption,
} from './redemptions.ts';

export interface CloseOptions extends ShopOption {
  readonly refused?: boolean;
  readonly cancelled?: boolean;
  readonly yes?: boolean;
}

const CONSEQUENCE: Readonly<Record<ClosedAs, string>> = {
  refused: 'the customer sees that no points were taken, and can redeem the reward again',
  cancelled: 'the customer sees that the points are back, and can redeem the reward again',
};

/** Closes a redemption that a person has settled in the loyalty service. */
export async function closeCommand(
  session: Session,
  customer: string,
  id: string,
  options: CloseOptions,
): Promise<ExitCode> {
  const { terminal, json } = session;
  const as = readOutcome(options);
  const customerId = checkCustomer(customer);
  const opened = await openRedemptions(session, options);
  const { deployment, shop, now } = opened;
  const whose = { shop: shop.domain, customerId };
  const before = findRedemption(await openBook(whose, opened).read(), id);
  const list = nextCommand(deployment, `redemptions show ${customerId} --shop ${shop.domain}`);
  checkClosing(foreseeClosing(before, as, now()), customerId, id, now(), list);
  if (before && !options.yes) {
    if (json)
      terminal.json({
        changed: false,
        ...redemptionDocument({ customerId, redemption: before }, now()),
      });
    else terminal.line(`Nothing was changed. With --yes ${CONSEQUENCE[as]}.`);
    return EXIT.fine;
  }
  const change = await session.beginChange(deployment);
  const balances = deployment.output('BalancesQueueUrl');
  const queue = createSqsEventQueue(new SQS(deployment.aws), { balances });
  const closed = await closeRedemption(whose, id, as, { ...opened, queue });
  const redemption = checkClosing(closed, customerId, id, now(), list);
  change.count({ closed: 1 });
  if (json)
    terminal.json({ changed: true, ...redemptionDocument({ customerId, redemption }, now()) });
  else terminal.line(`Done: ${CONSEQUENCE[as]}.`);
  return EXIT.fine;
}

function readOutcome({ refused, cancelled }: CloseOptions): ClosedAs {
  if (refused === cancelled) throw new BadArguments('give --refused or --cancelled.');
  return refused ? 'refused' : 'cancelled';
}

function checkClosing(closing: Closing, customerId: string, id: string, now: Date, list: string) {
  if (closing.kind === 'closed') return closing.redemption;
  if (closing.kind === 'not-found') {
    throw new Problem(`Customer ${customerId} has no redemption ${id}.`, `To list theirs: ${list}`);
  }
  const { word, waitsForPerson } = describeState(closing.redemption, now);
  throw new Problem(
    `Nothing was changed: the redemption is ${word}.`,
    waitsForPerson
      ? 'Its points are spent, so it accepts only --cancelled, after they were given back.'
      : 'The connector finishes it by itself; it accepts this only when it needs a person.',
  );
}
