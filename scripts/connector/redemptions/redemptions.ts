import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { listRecords } from '../../../shared/aws/read-ledger.ts';
import { createSqsEventQueue } from '../../../shared/aws/sqs-queues.ts';
import {
  type ClosedAs,
  type Closing,
  closeRedemption,
  foreseeClosing,
} from '../../../shared/core/redeem/resume-redemption.ts';
import {
  isOpen,
  type Redemption,
  type RedemptionState,
  type StuckWhy,
  waitsForPerson,
} from '../../../shared/core/redemptions/redemption.ts';
import {
  findRedemption,
  openRedemptions as openRecord,
  recallRedemptions,
} from '../../../shared/core/redemptions/redemption-record.ts';
import { nextCommand, openLedger } from '../deployment/deployment.ts';
import {
  type Document,
  right,
  type Suggestion,
  type TableBlock,
  type Tone,
  table,
  text,
  type Verdict,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop, shopsOf } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { BadArguments, Problem } from '../terminal/exit.ts';
import { counted } from '../terminal/text.ts';

export interface ShopOption {
  readonly shop?: string;
}

export type OpenRedemptions = Awaited<ReturnType<typeof openRedemptions>>;

export async function openRedemptions({ findDeployment }: Session, { shop: named }: ShopOption) {
  const deployment = await findDeployment();
  return {
    deployment,
    shop: findShop(deployment.connector, named),
    ledger: openLedger(deployment),
    now: () => new Date(),
    retentionDays: deployment.connector.orderRetentionDays,
  };
}

export interface FoundRedemption {
  readonly shop: string;
  readonly customerId: string;
  readonly redemption: Redemption;
}

/** Without the keys of calls and clicks. */
export function redemptionData({ shop, customerId, redemption }: FoundRedemption) {
  const { clientKeys: _, state, ...known } = redemption;
  return {
    shop,
    customer: customerId,
    ...known,
    state: state.at,
    code: codeOf(redemption) ?? null,
  };
}

function codeOf({ state }: Redemption): string | undefined {
  return 'code' in state ? state.code?.code : undefined;
}

/** Those of all shops, or of one, that are not finished; the longest waiting first. */
export async function listCommand(
  { findDeployment }: Session,
  { shop: named }: ShopOption,
): Promise<Document> {
  const { connector, aws, output } = await findDeployment();
  const client = new DynamoDB(aws);
  const settings = { client, table: output('LedgerTable'), pause, random: Math.random };
  const now = new Date();
  const ofShops = await Promise.all(
    shopsOf(connector, named).map(async ({ domain: shop }) => {
      const records = await listRecords(settings, shop, 'redemption');
      return records.flatMap(({ id: customerId, entry }) => {
        const { redemptions } = recallRedemptions(entry.remembered, now);
        return redemptions.map((redemption) => ({ shop, customerId, redemption }));
      });
    }),
  );
  const found = ofShops
    .flat()
    .filter(({ redemption }) => isOpen(redemption.state))
    .toSorted((one, other) => one.redemption.since.localeCompare(other.redemption.since));
  const waiting = found.filter(({ redemption }) => waitsForPerson(redemption, now));
  const next: Suggestion[] = waiting.slice(0, 1).map(({ shop, customerId }) => ({
    label: `See customer ${customerId}`,
    line: line('redemptions show', [customerId], { shop }),
  }));
  // A stuck one waits for what only a person can see; it has no dead letter.
  if (waiting.some(({ redemption }) => redemption.stuck === undefined)) {
    const letters = line('dead-letters replay', [], { kind: 'redemption', shop: named });
    next.push({ label: 'Try again those that were given up', line: letters });
  }
  const waits = `${counted(found.length, 'redemption')}: the connector goes on by itself.`;
  return {
    title: 'Redemptions that are not finished',
    verdict:
      judgeWaiting(waiting.length) ??
      (found.length > 0
        ? { kind: 'waits', what: waits }
        : { kind: 'well', what: 'Every redemption is finished.' }),
    blocks: [redemptionsTable(found, now, 'of several customers')],
    next,
    data: { redemptions: found.map(redemptionData) },
  };
}

export function judgeWaiting(many: number): Verdict | undefined {
  if (many === 0) return undefined;
  const what = `${counted(many, 'redemption')} wait${many === 1 ? 's' : ''} for a person.`;
  return { kind: 'action required', what };
}

const STATES: Readonly<
  Record<RedemptionState['at'], { readonly text: string; readonly tone?: Tone }>
> = {
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

export function redemptionsTable(
  found: readonly FoundRedemption[],
  now: Date,
  whose: 'of one customer' | 'of several customers' = 'of one customer',
): TableBlock {
  const isList = whose === 'of several customers';
  const customer = ({ shop, customerId: text }: FoundRedemption) =>
    isList ? [{ text, opens: line('redemptions show', [text], { shop }) }] : [];
  const columns = [
    ...['Redemption', { title: 'Reward', shrinks: true }, right('Points')],
    ...['State', 'Since', { title: 'Code', shrinks: true }],
  ];
  const rows = found.map((one) => {
    const { redemption } = one;
    const { id, rewardId, terms, state, since } = redemption;
    const tone = waitsForPerson(redemption, now) && { tone: 'bad' as const };
    const cells = [
      ...[...customer(one), id, `${rewardId} ${terms.title}`, terms.points],
      ...[{ ...STATES[state.at], ...tone }, { at: since }, codeOf(redemption) ?? '–'],
    ];
    return { cells, detail: detailOf(redemption, now) };
  });
  return table(isList ? ['Customer', ...columns] : columns, rows, {
    ...{ title: 'Redemptions', empty: 'No redemptions.' },
  });
}

export interface CloseOptions extends ShopOption {
  readonly refused?: boolean;
  readonly cancelled?: boolean;
  readonly yes?: boolean;
}

const CLOSINGS = [
  {
    as: 'refused',
    label: 'Close: no points were taken',
    sees: 'the customer sees that no points were taken, and can redeem the reward again',
  },
  {
    as: 'cancelled',
    label: 'Close: the points were given back',
    sees: 'the customer sees that the points are back, and can redeem the reward again',
  },
] as const satisfies readonly { readonly as: ClosedAs; readonly label: string; sees: string }[];

/** What a person may decide about it, who has looked in the panel of the loyalty service. */
export function closings(
  { shop, customerId, redemption }: FoundRedemption,
  now: Date,
): readonly Suggestion[] {
  const { id, state } = redemption;
  return CLOSINGS.filter(
    // In the state that it has already, `close` repeats a message only.
    ({ as }) => state.at !== as && foreseeClosing(redemption, as, now).kind === 'closed',
  ).map(({ as, label }) => ({
    ...{ label, say: `${label} (${id}), as the panel of the loyalty service says:` },
    line: line('redemptions close', [customerId, id], { shop, [as]: true }),
  }));
}

/** Closes a redemption that a person has settled in the loyalty service. */
export async function closeCommand(
  session: Session,
  options: CloseOptions,
  customerId: string,
  id: string,
): Promise<Document> {
  const { refused, cancelled } = options;
  const [closing] = CLOSINGS.filter((one) => options[one.as]);
  if (refused === cancelled || !closing) throw new BadArguments('give --refused or --cancelled.');
  if (!/^\d{1,20}$/.test(customerId)) {
    throw new BadArguments("give the customer's id in the store, a number.");
  }
  const { as, sees } = closing;
  const opened = await openRedemptions(session, options);
  const { deployment, now } = opened;
  const shop = opened.shop.domain;
  const whose = { shop, customerId };
  const list = nextCommand(deployment, `redemptions show ${customerId} --shop ${shop}`);
  const checked = (result: Closing) => checkClosing(result, customerId, id, list);
  const before = findRedemption(await openRecord(whose, opened).read(), id);
  checked(foreseeClosing(before, as, now()));
  const title = `Redemption ${id} of customer ${customerId}`;
  if (before && !options.yes) {
    const found = { ...whose, redemption: before };
    const { label } = closing;
    const close = { shop, [as]: true, yes: true };
    return {
      title,
      blocks: [
        redemptionsTable([found], now()),
        text(`Nothing was changed. Once it is closed, ${sees}.`),
        text(
          'Look at this customer in the panel of the loyalty service first: the connector does not check what you say here.',
        ),
      ],
      next: [{ label, line: line('redemptions close', [customerId, id], close) }],
      data: { changed: false, ...redemptionData(found) },
    };
  }
  const change = await session.beginChange(deployment);
  const balances = deployment.output('BalancesQueueUrl');
  const queue = createSqsEventQueue(new SQS(deployment.aws), { balances });
  const redemption = checked(await closeRedemption(whose, id, as, { ...opened, queue }));
  const changed = before?.state.at !== as;
  change.count({ closed: changed ? 1 : 0 });
  return {
    title,
    ...(changed && { verdict: { kind: 'well', what: `It is closed: ${sees}.` } }),
    blocks: changed
      ? []
      : [text('It was closed before. Only its message was sent again, should it be missing.')],
    next: [{ label: 'See the customer', line: line('redemptions show', [customerId], { shop }) }],
    data: { changed, ...redemptionData({ ...whose, redemption }) },
  };
}

function checkClosing(closing: Closing, customerId: string, id: string, list: string): Redemption {
  if (closing.kind === 'closed') return closing.redemption;
  if (closing.kind === 'not-found') {
    throw new Problem(`Customer ${customerId} has no redemption ${id}.`, `To list theirs: ${list}`);
  }
  const { redemption } = closing;
  throw new Problem(
    `Nothing was changed: the state of the redemption is "${STATES[redemption.state.at].text}".`,
    waitsForPerson(redemption, new Date())
      ? 'Its points are spent, so it accepts only --cancelled, after they were given back.'
      : 'The connector finishes it by itself; it accepts this only when it needs a person.',
  );
}
