import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue } from '../../../shared/aws/sqs-queues.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  type ClosedAs,
  type Closing,
  closeRedemption,
  foreseeClosing,
} from '../../../shared/core/redeem/resume-redemption.ts';
import {
  type Redemption,
  type RedemptionState,
  type StuckWhy,
  waitsForPerson,
} from '../../../shared/core/redemptions/redemption.ts';
import { findRedemption, openBook } from '../../../shared/core/redemptions/redemption-record.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/terminal.ts';
import { relativeTime } from '../terminal/text.ts';

export interface ShopOption {
  readonly shop?: string;
}

export interface OpenRedemptions {
  readonly deployment: Deployment;
  readonly shop: Shop;
  readonly client: DynamoDB;
  readonly ledger: ReturnType<typeof openLedger>;
  readonly now: () => Date;
  readonly retentionDays: number;
}

export async function openRedemptions(
  { findDeployment }: Session,
  { shop: named }: ShopOption,
  needs: 'storefront' | 'nothing' = 'storefront',
): Promise<OpenRedemptions> {
  const deployment = await findDeployment();
  const { connector } = deployment;
  if (needs === 'storefront' && !connector.storefront) {
    throw new Problem(
      `The settings of ${deployment.stack} have no storefront.`,
      'Rewards can be redeemed in the store only with a storefront: add storefront: {} and deploy.',
    );
  }
  return {
    deployment,
    shop: findShop(connector, named),
    client: new DynamoDB(deployment.aws),
    ledger: openLedger(deployment),
    now: () => new Date(),
    retentionDays: connector.orderRetentionDays,
  };
}

function checkCustomer(customerId: string): string {
  if (/^\d{1,20}$/.test(customerId)) return customerId;
  throw new BadArguments("give the customer's id in the store, a number.");
}

export interface FoundRedemption {
  readonly customerId: string;
  readonly redemption: Redemption;
}

interface Described {
  readonly word: string;
  readonly detail: string;
  /** Nothing happens until a person acts, or it takes too long. */
  readonly waitsForPerson: boolean;
}

/** The state in one word, with an explanation. */
function describeState(redemption: Redemption, now: Date): Described {
  const { state, stuck } = redemption;
  const waits = waitsForPerson(redemption, now);
  return {
    word: WORDS[state.at],
    detail: stuck ? STUCK[stuck] : describeProgress(state, waits),
    waitsForPerson: waits,
  };
}

const WORDS: Readonly<Record<RedemptionState['at'], string>> = {
  intended: 'running',
  calling: 'pending',
  redeemed: 'making',
  cancelling: 'cancelling',
  cancelled: 'cancelled',
  refused: 'refused',
  ready: 'ready',
  used: 'used',
};

const STUCK: Readonly<Record<StuckWhy, string>> = {
  'look-up-refused':
    'The loyalty service refuses to look it up: look in its panel whether points were spent.',
  'cancel-refused':
    'The store refuses the code, and the loyalty service does not cancel it: give the points back in its panel.',
};

function describeProgress(state: RedemptionState, waits: boolean): string {
  if (waits) return 'Unfinished for more than a day: look for its dead letter, and replay it.';
  if (state.at === 'calling') {
    return `It is unknown whether the points were spent; the connector finds out (${state.attempts} calls so far).`;
  }
  if (state.at !== 'redeemed') return '';
  return state.refusal
    ? `The store refuses the code (${state.refusal.why}): the points will be given back.`
    : 'The code is being created.';
}

export function redemptionsTable(found: readonly FoundRedemption[], now: Date): Table {
  return {
    columns: [
      { title: 'CUSTOMER' },
      { title: 'REDEMPTION' },
      { title: 'REWARD', shrinks: true },
      { title: 'POINTS', align: 'right' },
      { title: 'STATE' },
      { title: 'SINCE' },
      { title: 'CODE', shrinks: true },
    ],
    rows: found.map(({ customerId, redemption }) => [
      customerId,
      redemption.id,
      `${redemption.rewardId} ${redemption.terms.title}`,
      String(redemption.terms.points),
      describeState(redemption, now).word,
      relativeTime(Date.parse(redemption.since), now),
      codeOf(redemption) ?? '-',
    ]),
    details: found.map(({ redemption }) => describeState(redemption, now).detail),
  };
}

export type RedemptionDocument = ReturnType<typeof redemptionDocument>;

export function redemptionDocument({ customerId, redemption }: FoundRedemption, now: Date) {
  const described = describeState(redemption, now);
  const { id, rewardId, terms, intendedAt, since, stuck, staffId } = redemption;
  return {
    customer: customerId,
    id,
    reward: { id: rewardId, title: terms.title, points: terms.points },
    state: described.word,
    detail: described.detail,
    waitsForPerson: described.waitsForPerson,
    canCloseAs: CLOSINGS.filter((as) => canClose(redemption, as, now)),
    intendedAt,
    since,
    code: codeOf(redemption) ?? null,
    needsPerson: stuck ?? null,
    atTillBy: staffId ?? null,
  };
}

/** In the state that it has already, `close` repeats a message only. */
const canClose = (redemption: Redemption, as: ClosedAs, now: Date): boolean =>
  redemption.state.at !== as && foreseeClosing(redemption, as, now).kind === 'closed';

const CLOSINGS: readonly ClosedAs[] = ['refused', 'cancelled'];

function codeOf({ state }: Redemption): string | undefined {
  return 'code' in state ? state.code?.code : undefined;
}

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
