import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { financialStatus, fulfillmentStatus } from '../../store-sandbox/model/order-totals.ts';
import type { OrderRow } from '../../store-sandbox/model/rows.ts';
import { STORE_CREDIT } from '../../store-sandbox/model/store-credit.ts';
import { metafieldOf, moneyOf, pointsOf, type Shop } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderPicture } from './pictures.ts';
import { renderTotals } from './shop-pages.ts';
import { date, say } from './words.ts';

/** One step of an order's way to its points. */
export interface Step {
  readonly name: 'placed' | 'received' | 'sent' | 'points' | 'balance';
  readonly title: string;
  readonly state: 'done' | 'waiting' | 'refused' | 'never';
  readonly at: string | null;
  readonly note: string;
}

/** What the store and the loyalty service say about one order. */
function gatherEvidence({ store, loyalty }: Shop, order: OrderRow) {
  const { orders, points, customers } = loyalty.state();
  const sent = orders.find(({ OriginalId }) => OriginalId === order.id);
  const { customerId } = order;
  return {
    order,
    deliveries: store.deliveries.all(),
    /** Orders that were sent to the loyalty service. */
    calls: loyalty.journal.entries({ operation: 'sendOrder' }),
    /** At the loyalty service. */
    point: points.find(({ PointId }) => PointId === sent?.pointId),
    pointsDueAt: sent?.pointsDueAt ?? null,
    serviceBalance: customers.find(({ OriginalId }) => OriginalId === customerId)?.points,
    /** The metafield with the customer's points. Its time has whole seconds. */
    storeBalance:
      customerId === null ? undefined : metafieldOf(store, customerId, 'loyalty.points'),
  };
}

type Evidence = ReturnType<typeof gatherEvidence>;

/** The last step is done when the customer can see the points in the store. */
function stepsOf(evidence: Evidence): readonly Step[] {
  const { order } = evidence;
  const isGuest = order.customerId === null;
  const later = isGuest ? 'never' : 'waiting';
  const forGuests = isGuest ? say('An order without a customer earns no points.') : undefined;
  const step = (
    name: Step['name'],
    title: string,
    found: { readonly at: string; readonly note: string } | undefined,
    notYet = '',
  ): Step => ({
    name,
    title,
    state: found ? 'done' : name === 'received' ? 'waiting' : later,
    at: found?.at ?? null,
    note: found?.note ?? notYet,
  });
  const refusal = findRefusal(evidence);
  const sent = step('sent', 'Sent to the loyalty service', findCall(evidence), forGuests);
  return [
    step('placed', 'Order placed in the store', {
      at: order.createdAt,
      note: say('Order #{} with the id {}.', String(order.number), order.id),
    }),
    step('received', 'Webhooks received', findDelivery(evidence)),
    refusal && sent.state === 'waiting' ? { ...sent, ...refusal } : sent,
    step('points', 'Points given', describePoints(evidence), dueNote(evidence)),
    step('balance', 'Balance in the store', findBalance(evidence)),
  ];
}

function findDelivery({ order, deliveries }: Evidence) {
  // The text, not the parsed body: JSON.parse would round the ids.
  const own = deliveries.filter(({ body }) => body.includes(`"gid://shopify/Order/${order.id}"`));
  const arrived = own.filter(({ state }) => state === 'delivered');
  const attempt = arrived[0]?.attempts.at(-1);
  if (!attempt) return undefined;
  return {
    at: new Date(Date.parse(attempt.at) + attempt.durationMs).toISOString(),
    note: say(
      'The connector has received {} of {} webhooks of this order.',
      arrived.length,
      own.length,
    ),
  };
}

function findCall({ order, calls }: Evidence) {
  const accepted = calls.filter(
    ({ body, answer, status, fault }) =>
      fieldOf(body, 'OriginalId') === order.id &&
      status === 200 &&
      fault === undefined &&
      fieldOf(answer, 'HasError') !== true,
  );
  // An order that is still pending earns nothing: the completed one counts.
  const call = accepted.find(({ body }) => fieldOf(body, 'IsCompleted') === true);
  if (!call) return undefined;
  return {
    at: call.at,
    note: say('Accepted as completed.'),
  };
}

/** What the newest call met: the connector tries again by itself, or keeps a dead letter. */
function findRefusal({ order, calls }: Evidence): Partial<Step> | undefined {
  const own = calls.filter(({ body }) => fieldOf(body, 'OriginalId') === order.id);
  const last = own.at(-1);
  if (!last) return undefined;
  const why = fieldOf(last.answer, 'ErrorMessage');
  if (typeof why !== 'string') {
    const tried =
      own.length === 1
        ? say('No usable answer yet.')
        : say('No usable answer yet, after {} tries.', own.length);
    return { note: `${tried} ${say('The connector tries again by itself.')}` };
  }
  const note = say('It said: {}. The console says what to do.', why.replace(/\.$/, ''));
  return { state: 'refused', title: 'Not accepted by the loyalty service', note };
}

function describePoints({ point }: Evidence) {
  return point && { at: point.received, note: say('{} points for this order.', point.points) };
}

function dueNote({ pointsDueAt }: Evidence): string {
  return pointsDueAt === null ? '' : say('They are due on {}.', date(pointsDueAt));
}

function findBalance({ point, storeBalance, serviceBalance }: Evidence) {
  if (!point || !storeBalance) return undefined;
  const given = point.received.slice(0, 19);
  const written = storeBalance.updatedAt.slice(0, 19);
  // A write in the second of the points may have come before them: then only an equal balance proves it.
  const isIncluded =
    written > given || (written === given && Number(storeBalance.value) === serviceBalance);
  if (!isIncluded) return undefined;
  const note = say('You now have {} points.', Number(storeBalance.value));
  return { at: storeBalance.updatedAt, note };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Its script asks for the steps again until the last one is done. */
export function renderOrder(shop: Shop, order: OrderRow): Html {
  const { store, loyalty, neighbours: { console } = {} } = shop;
  const isGuest = order.customerId === null;
  return html`<h1>${say('Order')} #${order.number}</h1>
<p class="lead">${describeStatus(order)}</p>
<div class="order">
<section aria-labelledby="progress-title">
<h2 id="progress-title">${say(isGuest ? 'Your order’s progress' : 'Your points, step by step')}</h2>
<ol class="steps" data-progress="/orders/${order.id}/progress" aria-live="polite">
${stepsOf(gatherEvidence(shop, order)).map(renderStep)}
</ol>
<p><a class="button" href="/account">${say(isGuest ? 'Log in to earn points next time' : 'See your points')}</a></p>
</section>
<div class="cards">
<section class="summary" aria-labelledby="order-title">
<h2 id="order-title">${say('What you bought')}</h2>
<ul class="lines">
${order.lines.map((line) => {
  const product = store.rows.products.get(line.productId ?? '');
  return html`<li><span class="thumb">${product && renderPicture(product)}</span>
<div class="what">${line.title}<span class="note">${line.variantTitle !== null && `${line.variantTitle} · `}${line.quantity} × ${moneyOf(store, line.unitMinor)}</span></div>
<span class="amount">${moneyOf(store, line.unitMinor * line.quantity)}</span></li>\n`;
})}
</ul>
${renderTotals(store, order)}
${renderPayment(shop, order)}
</section>
<section class="summary">
<h2>${say('The same order elsewhere')}</h2>
<dl class="ids">
<div><dt>${say('Order id')}</dt><dd><code>${order.id}</code></dd></div>
<div><dt>${say('Customer id')}</dt><dd><code>${order.customerId ?? say('none (guest)')}</code></dd></div>
</dl>
<p class="links"><a href="${store.address}/#order-${order.id}">${say('In the store')}</a> <a href="${loyalty.address}/state#order-${order.id}">${say('In the loyalty service')}</a>${
    console !== undefined &&
    html` <a href="${console}#/trace/order/${order.id}">${say('In the console')}</a>`
  }</p>
</section>
</div>
</div>`;
}

/** What store credit has paid of it. */
function renderPayment({ store }: Shop, { transactions }: OrderRow): Html {
  const own = transactions.filter((one) => one.kind === 'sale' && one.gateway === STORE_CREDIT);
  const minor = own.reduce((sum, { minor }) => sum + minor, 0);
  return minor === 0
    ? html``
    : html`<p>${say('Store credit paid {} of it.', moneyOf(store, minor))}</p>`;
}

function describeStatus(order: OrderRow): string {
  if (order.cancelledAt !== null) return say('It is cancelled.');
  const sent = fulfillmentStatus(order) ?? 'not shipped yet';
  const names: Readonly<Partial<Record<typeof sent, string>>> = {
    fulfilled: 'shipped',
    partial: 'partly shipped',
  };
  const payment = financialStatus(order).replaceAll('_', ' ');
  return say('Thank you. Your order is {} and {}.', say(payment), say(names[sent] ?? sent));
}

function renderStep({ name, title, state, at, note }: Step): Html {
  return html`<li data-step="${name}" data-state="${state}"><b>${say(title)}</b>
<time>${at === null ? '' : clockTime(at)}</time>
<span class="note">${note}</span></li>\n`;
}

/** In UTC, as on the pages of the store and of the loyalty service. The store knows whole seconds only. */
const clockTime = (iso: string): string => iso.slice(11, 19);

/** For the script: the same texts as on the page. */
export function describeProgress(shop: Shop, visit: Visit, order: OrderRow) {
  return {
    steps: stepsOf(gatherEvidence(shop, order)).map(({ name, title, state, at, note }) => ({
      name,
      title: say(title),
      state,
      time: at === null ? '' : clockTime(at),
      note,
    })),
    points: pointsOf(shop.store, visit) ?? null,
  };
}
