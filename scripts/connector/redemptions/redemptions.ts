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
import {
  findRedemption,
  openRedemptions as openRecord,
} from '../../../shared/core/redemptions/redemption-record.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import {
  type Document,
  type Suggestion,
  type TableBlock,
  type Tone,
  text,
} from '../document/document.ts';
import { type Line, line } from '../document/line.ts';
import { BadArguments, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';

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

export interface FoundRedemption {
  readonly customerId: string;
  readonly redemption: Redemption;
}

type State = RedemptionState['at'];

const STATES: Readonly<Record<State, { readonly text: string; readonly tone?: Tone }>> = {
  intended: { text: 'running', tone: 'waits' },
  calling: { text: 'not known yet', tone: 'waits' },
  redeemed: { text: 'code is being made', tone: 'waits' },
  cancelling: { text: 'is given back', tone: 'waits' },
  cancelled: { text: 'given back' },
  refused: { text: 'refused' },
  ready: { text: 'ready', tone: 'well' },
  used: { text: 'used', tone: 'well' },
};

const STUCK: Readonly<Record<StuckWhy, string>> = {
  'look-up-refused':
    'The loyalty service refuses to look it up: look in its panel whether points were spent.',
  'cancel-refused':
    'The store refuses the code, and the loyalty service does not cancel it: give the points back in its panel.',
};

/** What the state does not say. */
function detailOf(redemption: Redemption, now: Date): string {
  const { state, stuck } = redemption;
  if (stuck) return STUCK[stuck];
  if (waitsForPerson(redemption, now)) {
    return 'Unfinished for more than a day: look for its dead letter, and replay it.';
  }
  if (state.at === 'calling') {
    return `It is unknown whether the points were spent; the connector finds out (${counted(state.attempts, 'call')} so far).`;
  }
  if (state.at !== 'redeemed' || !state.refusal) return '';
  return `The store refuses the code (${state.refusal.why}): the points will be given back.`;
}

/** `shop`: in a list of several customers, whose documents it opens. */
export function redemptionsTable(
  found: readonly FoundRedemption[],
  now: Date,
  shop?: string,
): TableBlock {
  return {
    ...{ kind: 'table', title: 'Redemptions' },
    columns: [
      ...(shop === undefined ? [] : [{ title: 'Customer' }]),
      { title: 'Redemption' },
      { title: 'Reward', shrinks: true },
      { title: 'Points', align: 'right' },
      { title: 'State' },
      { title: 'Since' },
      { title: 'Code', shrinks: true },
    ],
    rows: found.map(({ customerId, redemption }) => ({
      cells: [
        ...(shop === undefined
          ? []
          : [{ text: customerId, opens: line('redemptions show', [customerId], { shop }) }]),
        redemption.id,
        `${redemption.rewardId} ${redemption.terms.title}`,
        redemption.terms.points,
        {
          ...STATES[redemption.state.at],
          ...(waitsForPerson(redemption, now) && { tone: 'bad' as const }),
        },
        { at: redemption.since },
        codeOf(redemption) ?? '–',
      ],
      detail: detailOf(redemption, now),
    })),
    empty: 'No redemptions.',
  };
}

export type RedemptionDocument = ReturnType<typeof redemptionDocument>;

export function redemptionDocument({ customerId, redemption }: FoundRedemption, now: Date) {
  const { id, rewardId, terms, state, intendedAt, since, stuck, staffId } = redemption;
  return {
    customer: customerId,
    id,
    reward: { id: rewardId, title: terms.title, points: terms.points },
    state: state.at as string,
    detail: detailOf(redemption, now),
    waitsForPerson: waitsForPerson(redemption, now),
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

const CLOSED: Readonly<Record<ClosedAs, { readonly label: string; readonly sees: string }>> = {
  refused: {
    label: 'Close: no points were taken',
    sees: 'the customer sees that no points were taken, and can redeem the reward again',
  },
  cancelled: {
    label: 'Close: the points were given back',
    sees: 'the customer sees that the points are back, and can redeem the reward again',
  },
};

function closing(
  { customerId, redemption: { id } }: FoundRedemption,
  as: ClosedAs,
  options: Line['options'],
): Suggestion {
  const { label } = CLOSED[as];
  return {
    ...{ label, say: `${label} (${id}):` },
    line: line('redemptions close', [customerId, id], { ...options, [as]: true }),
  };
}

/** What a person may decide about these; each is shown before it is done. */
export const closings = (
  found: readonly FoundRedemption[],
  shop: string,
  now: Date,
): readonly Suggestion[] =>
  found.flatMap((one) =>
    CLOSINGS.filter((as) => canClose(one.redemption, as, now)).map((as) =>
      closing(one, as, { shop }),
    ),
  );

/** Closes a redemption that a person has settled in the loyalty service. */
export async function closeCommand(
  session: Session,
  options: CloseOptions,
  customerId: string,
  id: string,
): Promise<Document> {
  const as = readOutcome(options);
  if (!/^\d{1,20}$/.test(customerId)) {
    throw new BadArguments("give the customer's id in the store, a number.");
  }
  const opened = await openRedemptions(session, options);
  const { deployment, now } = opened;
  const shop = opened.shop.domain;
  const whose = { shop, customerId };
  const before = findRedemption(await openRecord(whose, opened).read(), id);
  const list = nextCommand(deployment, `redemptions show ${customerId} --shop ${shop}`);
  const foreseen = checkClosing(foreseeClosing(before, as, now()), customerId, id, now(), list);
  const title = `Redemption ${id} of customer ${customerId}`;
  if (before && !options.yes) {
    const redemption = { customerId, redemption: before };
    return {
      title,
      blocks: [
        redemptionsTable([redemption], now()),
        text(`Nothing was changed. Once it is closed, ${CLOSED[as].sees}.`),
        text(
          'Look at this customer in the panel of the loyalty service first: the connector does not check what you say here.',
        ),
      ],
      next: [closing({ customerId, redemption: foreseen }, as, { shop, yes: true })],
      data: { changed: false, ...redemptionDocument(redemption, now()) },
    };
  }
  const change = await session.beginChange(deployment);
  const balances = deployment.output('BalancesQueueUrl');
  const queue = createSqsEventQueue(new SQS(deployment.aws), { balances });
  const closed = await closeRedemption(whose, id, as, { ...opened, queue });
  const redemption = checkClosing(closed, customerId, id, now(), list);
  change.count({ closed: 1 });
  const isRepeated = before?.state.at === as;
  return {
    title,
    verdict: {
      kind: 'well',
      what: `It ${isRepeated ? 'was closed before' : 'is closed'}: ${CLOSED[as].sees}.`,
    },
    blocks: [],
    next: [{ label: 'See the customer', line: line('redemptions show', [customerId], { shop }) }],
    data: { changed: true, ...redemptionDocument({ customerId, redemption }, now()) },
  };
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
  const { redemption } = closing;
  throw new Problem(
    `Nothing was changed: the state of the redemption is "${STATES[redemption.state.at].text}".`,
    waitsForPerson(redemption, now)
      ? 'Its points are spent, so it accepts only --cancelled, after they were given back.'
      : 'The connector finishes it by itself; it accepts this only when it needs a person.',
  );
}
