import type { Shop } from '../../../shared/config/connector-config.ts';
import { settingsFileOf } from '../../../shared/config/settings-file.ts';
import {
  changeControl,
  readControl,
  type ShopControl,
  wentLive,
} from '../../../shared/core/calls/shop-pause.ts';
import { PLATFORM_ORIGIN } from '../../../shared/core/sync/held-order.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { type Block, type Document, right, table, text } from '../document/document.ts';
import { line } from '../document/line.ts';
import { pausesIn } from '../pause/read-pauses.ts';
import { readWaiting, wake } from '../pause/waiting-messages.ts';
import { compareAndSettle, countMessages, judgeFollowed, sentAgainIn } from '../recover/recover.ts';
import { findShop } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../terminal/exit.ts';
import { counted, utcText } from '../terminal/text.ts';
import { namesOf, readChangedOrders } from '../trace/compare-orders.ts';
import { type JudgedOrder, judgeOrder, type OrderVerdict } from '../trace/judge-order.ts';

export interface GoLiveOptions {
  readonly shop?: string;
  /** Epoch milliseconds. */
  readonly from?: number;
  /** False: no other integration ever sent orders of the shop. */
  readonly other?: boolean;
  readonly otherOffSince?: number;
  readonly yes?: boolean;
}

/** Moments are epoch milliseconds. */
export interface GoLivePlan {
  /** Orders placed since then are sent. */
  readonly from: number;
  /** Where it comes from, in words. */
  readonly fromWhat: string;
  /** Since when no order may come from another integration. */
  readonly offSince: number;
  readonly observing: number;
}

/** Plan → read both sides → confirm → end the observation → compare everything → report. */
export async function goLive(
  session: Session,
  options: GoLiveOptions,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const { domain } = shop;
  const ledger = openLedger(deployment);
  const plan = planOf(deployment, shop, options, await readControl(ledger, domain));
  const signal = session.interruption(
    'The comparison goes on by itself; see it with "reconcile status".',
  );
  const since = Math.min(plan.from, plan.offSince, plan.observing);
  // By the rules that would hold then.
  const rules = { ...shop.rules, goLive: iso(plan.from) };
  const then = { deployment, shop: { ...shop, rules }, since, signal };
  const { orders, isStopped } = await readChangedOrders(session, then, judgeOrder);
  const title = `${domain} goes live`;
  const obstacle = obstacleIn(orders, plan, isStopped);
  const preview = previewOf(title, shop, plan, options, orders);
  if (obstacle) return { ...preview, verdict: obstacle, next: [] };
  if (!options.yes) {
    session.show(preview);
    if (!(await session.terminal.confirm(`Send the orders of ${domain} from now on?`))) {
      return EXIT.fine;
    }
  }
  const change = await session.beginChange(deployment);
  const began = Date.now();
  const { letters } = await countMessages(deployment);
  await changeControl(ledger, domain, (one) => wentLive(one, plan.from, new Date(began)));
  const waiting = await readWaiting(deployment, [domain], new Date());
  const paused = waiting.filter(({ waitsFor }) => waitsFor === 'paused');
  const { woken } = await wake(deployment, paused);
  const open = { deployment, ledger, session, signal };
  const followed = await compareAndSettle([domain], began, letters, open);
  const sentAgain = sentAgainIn(followed.shops);
  change.count({ sentAgain, woken: woken.length });
  const again = 'The shop is live, and every run of reconcile goes on with it.';
  const { verdict, next } = judgeFollowed(followed, `${domain} went live`, again);
  // A worker that still observes has said so again.
  const { observing } = await readControl(ledger, domain);
  const what = `The functions of the stack still observe ${domain}: deploy, then repeat the command.`;
  return {
    title,
    verdict: observing === undefined ? verdict : { kind: 'action required', what },
    blocks: [
      text(`Orders placed since ${utcText(plan.from)} UTC are sent. ${BACK}`),
      text(`Given to the workers: ${counted(sentAgain + woken.length, 'message')}.`),
      treatmentsOf(orders),
    ],
    next,
    data: { changed: true, shop: domain, ...plan, ...followed, orders },
  };
}

const BACK = "Back: set mode: 'observe', and deploy.";
const iso = (moment: number) => new Date(moment).toISOString();

function planOf(
  { stage }: Pick<Deployment, 'stage'>,
  shop: Shop,
  options: GoLiveOptions,
  control: ShopControl,
): GoLivePlan {
  const { domain, mode } = shop;
  if (mode === 'observe') {
    throw new BadArguments(
      `${domain} is observed: set mode: 'live' in ${settingsFileOf(stage)} and deploy first.`,
    );
  }
  const { observing, goLive: before } = control;
  if (observing === undefined) {
    const since = before === undefined ? '' : `, with its orders since ${utcText(before)} UTC`;
    throw new BadArguments(`${domain} does not wait for go-live: it is live${since}.`);
  }
  if (pausesIn(shop, control, new Date()).some(({ by }) => by === 'operator')) {
    const resume = `npx loyalty-connector resume --shop ${domain}`;
    throw new Problem(`An operator paused ${domain}.`, `End the pause first: ${resume}`);
  }
  return { ...momentsOf(shop, options, { observing, before }, Date.now()), observing };
}

/** The service's own integration polls the store about once an hour. */
const OFF_FOR_MS = 2 * 3_600_000;

/** From which moment on orders are sent, and since when the other integration must be silent. */
export function momentsOf(
  { rules }: { readonly rules: Pick<Shop['rules'], 'goLive'> },
  { from: given, other, otherOffSince }: GoLiveOptions,
  { observing, before }: { readonly observing: number; readonly before: number | undefined },
  now: number,
): Omit<GoLivePlan, 'observing'> {
  if ((other === false) === (otherOffSince !== undefined)) {
    throw new BadArguments(
      'give --no-other, or --other-off-since with the moment when the other integration was switched off.',
    );
  }
  const ruled = rules.goLive === undefined ? undefined : Date.parse(rules.goLive);
  if (ruled !== undefined && given !== undefined && given !== ruled) {
    throw new BadArguments(
      `the settings say it: rules.goLive is ${rules.goLive}. Leave --from out, or change the settings.`,
    );
  }
  const moments = [
    [ruled, 'rules.goLive'],
    [given, '--from'],
    [before, 'the go-live of before'],
    [otherOffSince, '--other-off-since'],
  ] as const;
  const [from = observing, fromWhat = 'when observing began'] =
    moments.find(([moment]) => moment !== undefined) ?? [];
  if (from > now || (otherOffSince ?? 0) > now) throw new BadArguments('give moments of the past.');
  if (otherOffSince !== undefined && now - otherOffSince < OFF_FOR_MS) {
    const again = utcText(otherOffSince + OFF_FOR_MS);
    throw new Problem(
      'The other integration must have been off for two hours: it may still send what it read before.',
      `Nothing was changed. Repeat the command after ${again} UTC.`,
    );
  }
  return { from, fromWhat, offSince: otherOffSince ?? observing };
}

/** Orders that the service's own integration sent although it should be off. */
export function sentByOther(
  orders: readonly JudgedOrder[],
  { offSince }: Pick<GoLivePlan, 'offSince'>,
): readonly JudgedOrder[] {
  return orders.filter(
    ({ origins, placedAt }) =>
      origins.includes(PLATFORM_ORIGIN) && Date.parse(placedAt ?? '') >= offSince,
  );
}

function obstacleIn(
  orders: readonly JudgedOrder[],
  plan: GoLivePlan,
  isStopped: boolean,
): Document['verdict'] {
  const sent = sentByOther(orders, plan);
  if (sent.length > 0) {
    const since = utcText(plan.offSince);
    const what = `Another integration is still on: the service has ${counted(sent.length, 'order')} of its own (Origin 0) placed since ${since} UTC: ${namesOf(sent)}. Switch it off in the panel of the service. Nothing was changed.`;
    return { kind: 'action required', what };
  }
  const unread = orders.filter(({ isUnread }) => isUnread).length;
  if (unread === 0 && !isStopped) return undefined;
  const what = `Not all orders could be read (${counted(unread, 'order')} and those behind them). Nothing was changed: repeat the command.`;
  return { kind: 'not known', what };
}

function previewOf(
  title: string,
  { domain }: Shop,
  plan: GoLivePlan,
  { from, other, otherOffSince }: GoLiveOptions,
  orders: readonly JudgedOrder[],
): Document {
  const given = {
    shop: domain,
    from: from === undefined ? undefined : iso(from),
    'no-other': other === false,
    'other-off-since': otherOffSince === undefined ? undefined : iso(otherOffSince),
    yes: true,
  };
  return {
    title,
    blocks: [
      text(
        `Orders placed since ${utcText(plan.from)} UTC (${plan.fromWhat}) would be sent from now on. What the service already has is read before anything is sent, so nothing counts twice. ${BACK}`,
      ),
      treatmentsOf(orders),
      text('Nothing was changed.'),
    ],
    next: [{ label: 'Go live', line: line('go-live', [], given) }],
    data: { changed: false, shop: domain, ...plan, orders },
  };
}

const TREATMENTS: Readonly<Record<OrderVerdict, string>> = {
  absent: 'sent',
  same: 'stays',
  'other amount': 'made what the store says',
  twice: 'stays: a person must cancel one in the service',
  'not counted by us': 'not sent; changed only if the service has it',
  'not known': 'a worker decides',
};

/** What another integration sent keeps its id and its amount. */
export function treatmentOf({ verdict, id, heldId, origins }: JudgedOrder): string {
  const isElsewhere = heldId !== undefined && (heldId !== id || origins[0] === PLATFORM_ORIGIN);
  if (!isElsewhere || verdict === 'twice' || verdict === 'not counted by us') {
    return TREATMENTS[verdict];
  }
  return 'adopted from the other integration: stays, and later changes go to it';
}

function treatmentsOf(orders: readonly JudgedOrder[]): Block {
  const groups = Map.groupBy(orders, (one) => `${one.verdict} ${one.reason} ${treatmentOf(one)}`);
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const what = `${first.verdict}: ${first.reason}`;
    return [{ cells: [what, treatmentOf(first), group.length], detail: namesOf(group) }];
  });
  const columns = [{ title: 'Now', shrinks: true }, 'Then', right('Orders')];
  return table(columns, rows, { empty: 'The store changed no order since then.' });
}
