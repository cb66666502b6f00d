import type { Shop } from '../../../shared/config/connector-config.ts';
import { settingsFileOf } from '../../../shared/config/settings-file.ts';
import {
  changeControl,
  readControl,
  type ShopControl,
  wentLive,
} from '../../../shared/core/calls/shop-pause.ts';
import { isOpenDoubt } from '../../../shared/core/ledger/entry.ts';
import { pausesIn } from '../ground/checks/read-pauses.ts';
import { readWaiting, wake } from '../ground/checks/waiting-messages.ts';
import {
  type ComparedOrder,
  groupsOf,
  type JudgedOrder,
  namesOf,
  readChangedOrders,
} from '../ground/compare/read-orders.ts';
import { compareAndSettle, judgeFollowed } from '../ground/compare/settle.ts';
import { findShop } from '../ground/session/arguments.ts';
import { openLedger } from '../ground/session/deployment.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import { type Document, text, type Verdict } from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode, Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, utcText } from '../ground/terminal/text.ts';

/** Moments are epoch milliseconds. */
export interface GoLiveOptions extends CommonOptions {
  readonly from?: number;
  /** False: no other integration ever sent orders of the shop. */
  readonly other?: boolean;
  readonly otherOffSince?: number;
  /** In spite of signs that another integration is still on, or used ids that nobody knows. */
  readonly although?: boolean;
}

/**
 * Plan → read both sides → confirm → end the observation → compare everything → report. Interrupted after the
 * observation ended, it goes on with the comparison when it is repeated.
 */
export async function goLive(
  session: Session,
  options: GoLiveOptions,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const { domain } = shop;
  const ledger = openLedger(deployment);
  const control = await readControl(ledger, domain);
  const signal = session.interruption('The comparison continues in the background.');
  const open = { deployment, ledger, session, signal };
  const title = `${domain} goes live`;
  if (wentLiveBefore(control)) {
    const left = isOpenDoubt(control.doubt)
      ? 'Not everything was compared yet.'
      : 'It was compared then, and can be compared again.';
    const what = `${domain} is live, with its orders since ${utcText(control.goLive ?? 0)} UTC. ${left}`;
    return carryOut(session, deployment, options.yes, {
      preview: () => ({
        title,
        blocks: [text(what)],
        next: [{ label: 'Compare', line: line('go-live', [], wordsOf(domain, options)) }],
        data: { changed: false, shop: domain, from: control.goLive },
      }),
      question: 'Compare everything?',
      act: (change) => {
        const document = { title, blocks: [text(what)], data: { shop: domain } };
        return goOn(document, control.doubt?.since ?? 0, change);
      },
    });
  }
  const observing = observedSince(shop, control, settingsFileOf(deployment.stage));
  const plan = momentsOf(shop, options, { observing, before: control.goLive }, Date.now());
  const since = Math.min(plan.from, plan.offSince, observing);
  const takes = options.other !== false;
  const withOther = (ids: readonly string[]) =>
    takes ? { offSince: plan.offSince, ids } : undefined;
  // As it would be then; under which ids the other one sent its orders, only reading them tells.
  const planned = wentLive(control, plan.from, new Date(), withOther(['not known yet']));
  const read = await readChangedOrders(session, { deployment, shop, since, signal, planned });
  const ids = takes ? idsOf(read.orders, plan.offSince) : [];
  const orders = takes && ids.length === 0 ? read.orders.map(withoutMatch) : read.orders;
  const placed = `Orders placed since ${utcText(plan.from)} UTC (${plan.fromWhat})`;
  const blocks = [groupsOf(orders, domain), text(TREATED)];
  const data = { shop: domain, ...plan, orders };
  const obstacle = obstacleIn(orders, plan.offSince, read.isStopped, options.although);
  if (obstacle) return { title, verdict: obstacle, blocks, data };
  return carryOut(session, deployment, options.yes, {
    preview: () => ({
      title,
      blocks: [text(`${placed} would be sent from now on.`), ...blocks],
      next: [{ label: 'Go live', line: line('go-live', [], wordsOf(domain, options)) }],
      data: { changed: false, ...data },
    }),
    question: `Send the orders of ${domain} from now on?`,
    act: endObservation,
  });

  /** Nothing shows how the other one named its orders: the workers leave such an order to a person. */
  function withoutMatch(order: ComparedOrder): ComparedOrder {
    const isBefore = Date.parse(order.placedAt ?? '') < plan.offSince;
    const isSent = order.would?.call === 'send' && order.held === undefined && isBefore;
    return isSent ? { ...order, would: { call: 'person', why: UNMATCHED } } : order;
  }

  async function endObservation(change: Change): Promise<Document> {
    const other = withOther(ids);
    const unmatched = orders.filter(isUnmatched).map(({ id }) => id);
    await changeControl(ledger, domain, (one) => ({
      ...wentLive(one, plan.from, new Date(), other),
      unmatched: unmatched.slice(0, MOST),
    }));
    const were = [text(`${placed} are sent. It was:`), ...blocks];
    return goOn({ title, blocks: were, data }, since, change);
  }

  /** May be repeated. */
  async function goOn(
    { data, blocks = [], ...document }: Document<object>,
    since: number,
    change: Change,
  ): Promise<Document> {
    const waiting = await readWaiting(deployment, [domain], new Date());
    const paused = waiting.filter(({ waitsFor }) => waitsFor === 'paused');
    const { woken } = await wake(deployment, paused);
    const followed = await compareAndSettle([domain], open);
    change.count({ sent: followed.sent, woken: woken.length });
    const again = 'The shop is live, and every run of reconcile goes on with it.';
    const { verdict, next } = judgeFollowed(followed, `${domain} went live`, again);
    const { orders } = await readChangedOrders(session, { deployment, shop, since, signal });
    const { observing, unmatched = [] } = await readControl(ledger, domain);
    const wrong = forPerson(orders, unmatched);
    // A worker that still observes has said so again.
    const isLive = observing === undefined;
    const observes = `The functions of the stack still observe ${domain}: deploy, then repeat the command.`;
    const differ = `${verdict.what} A person must look at ${counted(wrong.length, 'order')}: the list names each.`;
    const what = isLive ? differ : observes;
    return {
      ...document,
      blocks: [...(wrong.length > 0 ? [groupsOf(wrong, domain)] : []), ...blocks],
      verdict: isLive && wrong.length === 0 ? verdict : { kind: 'action required', what },
      next,
      data: { changed: true, ...data, ...followed, woken: woken.length, wrong },
    };
  }
}

const isUnmatched = ({ verdict }: JudgedOrder) => verdict === PERHAPS.verdict;

/** The forms of the ids under which the service has orders of the other integration. */
function idsOf(orders: readonly ComparedOrder[], offSince: number): readonly string[] {
  const theirs = orders.filter(
    ({ isTheirs, placedAt = '' }) => isTheirs && Date.parse(placedAt) < offSince,
  );
  const forms = theirs.map(({ id, name, heldId }) =>
    heldId === id ? 'own' : heldId === name ? 'name' : 'number',
  );
  return [...new Set(forms)];
}

/** In one item of the ledger, which every worker reads. */
const MOST = 200;

/** Once an order is sent, no comparison finds its copy under an id that nobody knows: the preview did. */
export function forPerson(
  orders: readonly ComparedOrder[],
  unmatched: readonly string[],
): readonly ComparedOrder[] {
  const wrong = orders.filter(({ kind }) => kind === 'action required');
  const doubted = orders.filter((one) => unmatched.includes(one.id) && !wrong.includes(one));
  return [...wrong, ...doubted.map((one) => ({ ...one, ...PERHAPS }))];
}

const PERHAPS: Pick<ComparedOrder, 'kind' | 'verdict' | 'what'> = {
  ...{ kind: 'action required', verdict: 'perhaps under an unknown id' },
  what: 'perhaps twice, also under an unknown id: before go-live no order explained all points of its customer',
};

const UNMATCHED =
  'it was placed before the other integration was off, of which the service shows no order: go-live makes a dead letter of it';

/** Perhaps interrupted then: reconcile may have ended the comparison since, but what it found was told to nobody. */
const wentLiveBefore = ({ observing, goLive, takeover }: ShopControl): boolean =>
  observing === undefined && goLive !== undefined && takeover !== undefined;

const TREATED =
  "What another integration sent stays as it is under its id, and what is no call above is left as it is. Every order is looked up in the service before it is sent. Of what is there twice, a person must cancel one. Back: set mode: 'observe', and deploy.";

function wordsOf(shop: string, { from, other, otherOffSince, although }: GoLiveOptions) {
  const date = (moment?: number) => moment && new Date(moment).toISOString();
  const off = { 'no-other': other === false, 'other-off-since': date(otherOffSince) };
  return { shop, from: date(from), ...off, although, yes: true };
}

/** Since when the shop waits; throws where it does not. */
function observedSince(shop: Shop, control: ShopControl, settingsFile: string): number {
  const { domain, mode } = shop;
  const { observing, goLive } = control;
  if (mode === 'observe') {
    throw new BadArguments(
      `${domain} is observed: set mode: 'live' in ${settingsFile} and deploy first.`,
    );
  }
  if (observing === undefined) {
    const since = goLive === undefined ? '' : `, with its orders since ${utcText(goLive)} UTC`;
    throw new BadArguments(`${domain} does not wait for go-live: it is live${since}.`);
  }
  if (pausesIn(shop, control, new Date()).some(({ by }) => by === 'operator')) {
    const resume = `npx loyalty-connector resume --shop ${domain}`;
    throw new Problem(`An operator paused ${domain}.`, `End the pause first: ${resume}`);
  }
  return observing;
}

/** The service's own integration polls the store about once an hour. */
const OFF_FOR_MS = 2 * 3_600_000;

/** From when on orders are sent, where that comes from, and since when the other integration must be silent. */
export function momentsOf(
  { rules }: { readonly rules: Pick<Shop['rules'], 'goLive'> },
  { from: given, other, otherOffSince }: GoLiveOptions,
  { observing, before }: { readonly observing: number; readonly before: number | undefined },
  now: number,
) {
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
    [before, 'as at the last go-live'],
    [otherOffSince, '--other-off-since'],
  ] as const;
  const [from = observing, fromWhat = 'when observing began'] =
    moments.find(([moment]) => moment !== undefined) ?? [];
  if (from > now || (otherOffSince ?? 0) > now) throw new BadArguments('give moments of the past.');
  if (otherOffSince !== undefined && now - otherOffSince < OFF_FOR_MS) {
    throw new Problem(
      'The other integration must have been off for two hours: it may still send what it read before.',
      `Nothing was changed. Repeat the command after ${utcText(otherOffSince + OFF_FOR_MS)} UTC.`,
    );
  }
  return { from, fromWhat, offSince: otherOffSince ?? observing };
}

/** Another integration still sends orders, or may have sent some that were not recognised, or not all could be read. */
export function obstacleIn(
  orders: readonly (JudgedOrder & Pick<ComparedOrder, 'would'>)[],
  offSince: number,
  isStopped: boolean,
  although = false,
): Verdict | undefined {
  const unread = orders.filter(({ isUnread }) => isUnread).length;
  if (unread > 0 || isStopped) {
    const what = `Not all orders could be read: ${counted(unread, 'order')}, and those after them. Nothing was changed: repeat the command.`;
    return { kind: 'unknown', what };
  }
  if (although) return undefined;
  const bad = (what: string): Verdict => ({ kind: 'action required', what });
  const knows =
    'Nothing was changed. With --although it goes on: such orders may count twice then.';
  const sent = orders.filter(
    ({ isTheirs, placedAt = '' }) => isTheirs && Date.parse(placedAt) >= offSince,
  );
  if (sent.length > 0) {
    return bad(
      `Another integration is still on: of orders placed since ${utcText(offSince)} UTC the service has ${sent.length} that we did not send: ${namesOf(sent)}. Switch it off, and repeat the command two hours later with --other-off-since and that moment; if it is off already, with a later moment. ${knows}`,
    );
  }
  const taken = orders.filter(({ verdict, would }) => verdict === 'same' && would?.call === 'take');
  if (taken.length > 0) {
    return bad(
      `The refunds of ${counted(taken.length, 'order')} would be taken back a second time: ${namesOf(taken)}. Their points show that it was done already. Nothing was changed: repeat the command with a later moment, after it was done. With --although it goes on, and takes them once more.`,
    );
  }
  const unknown = orders.filter(isUnmatched);
  if (unknown.length === 0) return undefined;
  return bad(
    `The service may have ${counted(unknown.length, 'order')} under ids that the settings do not name (otherOrderIds): ${namesOf(unknown)}. Look in its panel how they are called. ${knows}`,
  );
}
