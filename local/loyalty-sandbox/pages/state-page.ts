import type { Credentials } from '../../../shared/loyalty/client.ts';
import { errorNames } from '../../../shared/loyalty/error-codes.ts';
import type { ActiveFault } from '../../sandbox-kit/faults.ts';
import {
  amount,
  badge,
  brief,
  type Html,
  html,
  moment,
  renderList,
  renderSection,
  type Tone,
} from '../../sandbox-kit/pages/html.ts';
import { idLink, layOut, type PageParts } from '../../sandbox-kit/pages/layout.ts';
import { customerOf, type PointEvent } from '../events/event-sender.ts';
import type { FaultRule } from '../fault-rule.ts';
import type { JournalEntry } from '../journal.ts';
import type { Service } from '../service.ts';
import { describeState, type State } from '../state.ts';

interface OwnParts extends Pick<PageParts, 'content' | 'head' | 'neighbours'> {
  readonly address: string;
  readonly credentials: Credentials;
}

const pages = { docs: { href: '/', text: 'API' }, state: { href: '/state', text: 'State' } };

export function layOutPage(current: keyof typeof pages, parts: OwnParts): Html {
  const { address, credentials, head } = parts;
  return layOut({
    ...parts,
    name: 'Loyalty sandbox',
    title: pages[current].text,
    kind: current,
    self: 'loyalty',
    links: Object.values(pages).map((page) => ({ ...page, isCurrent: page === pages[current] })),
    facts: { Address: address, Token: credentials.token, Key: credentials.key },
    head: html`<link rel="icon" href="/docs-assets/favicon-32x32.png">\n${head}`,
  });
}

/** Faults a person is likely to want, one click away. */
const common: readonly { readonly text: string; readonly rule: object }[] = [
  { text: 'Outage', rule: { kind: 'outage' } },
  { text: 'Credentials refused', rule: { kind: 'http-401' } },
  { text: 'Next call: 500', rule: { kind: 'http-500', count: 1 } },
  { text: 'Next 5: throttled (103)', rule: { kind: 'code-103', count: 5 } },
  { text: 'Next 5: HTTP 429', rule: { kind: 'http-429', retryAfterSeconds: 2, count: 5 } },
  { text: 'Next call: answer lost', rule: { kind: 'reset-after', count: 1 } },
  {
    text: 'Next order: refused',
    // The next event of the same order is refused as well.
    rule: { kind: 'business-error', code: 119, operation: 'sendOrder', count: 2 },
  },
  { text: 'Next call: cut short', rule: { kind: 'truncated', count: 1 } },
  { text: 'Every call: 2 s slower', rule: { kind: 'latency', ms: 2000 } },
  { text: 'One in five: 503', rule: { kind: 'http-503', probability: 0.2 } },
];

/** Not refreshed with the rest, so that the buttons do not move while a person uses them. */
function renderFaultControls(operations: readonly string[]): Html {
  return html`<section id="fault-controls">
<h2>Make it fail</h2>
<p class="row">
<label>Operation <select id="fault-operation"><option value="*">any</option>${operations.map(
    (operation) => html`<option>${operation}</option>`,
  )}</select></label>
${common.map(({ text, rule }) => html`<button type="button" data-rule="${JSON.stringify(rule)}">${text}</button>\n`)}
<button type="button" data-clear="all">Remove all faults</button>
</p>
<details><summary>Another rule</summary>
<p class="row">
<textarea id="fault-rule" rows="2" spellcheck="false" aria-label="Rule as JSON">{ "kind": "business-error", "code": 36, "operation": "sendOrder", "after": 2, "count": 3 }</textarea>
<button type="button" id="fault-add">Add</button>
</p>
</details>
<p id="problem" role="alert"></p>
</section>
`;
}

function renderActiveFaults(faults: readonly ActiveFault<FaultRule>[]): Html {
  return html`<section id="faults" class="${faults.length === 0 ? 'none-yet' : 'some'}">
<h2>Active faults <span class="count">${faults.length}</span></h2>
${
  faults.length === 0
    ? html`<p class="empty">None. Every call gets its normal answer.</p>`
    : html`<ul class="faults">${faults.map(renderFault)}</ul>`
}
</section>
`;
}

function renderFault({ id, kind, operation, seen, met, ...rest }: ActiveFault<FaultRule>): Html {
  const { code, ...others } = { code: undefined, ...rest };
  const details = Object.entries(others).map(([name, value]) => `${name} ${value}`);
  const what = code === undefined ? kind : `${kind} ${code} (${errorNames[code]})`;
  return html`<li><b>${what}</b> <span>${operation === undefined || operation === '*' ? 'any operation' : operation}</span>
${details.length > 0 && html`<span>${details.join(', ')}</span>`}
<span class="note">met ${met} of ${seen} calls</span> <button type="button" data-clear="${id}">Clear</button></li>\n`;
}

const mostCalls = 100;
/** Of one body or answer. More of it is in the journal over HTTP. */
const mostCharacters = 20_000;

/** What people call the things that a call may be about: `#1007`, a name, a title. */
type Names = ReadonlyMap<string, string | null>;

const orderName = ({ Metadatas }: State['orders'][number]) =>
  Metadatas.find(({ Name }) => Name === 'order_name')?.Value ?? null;

const namesIn = ({ orders, customers, products }: State): Names =>
  new Map([
    ...orders.map((order) => [order.OriginalId, orderName(order)] as const),
    ...customers.map(({ OriginalId, Name }) => [OriginalId, Name] as const),
    ...products.map(({ OriginalId, Title }) => [OriginalId, Title] as const),
  ]);

/** The id in the path, or that of the body. */
function aboutOf({ path, body }: JournalEntry, names: Names): string | null {
  const { OriginalId } = { ...(body as { readonly OriginalId?: unknown } | undefined) };
  const known = [...path.split(/[/?]/), String(OriginalId)].find((one) => names.get(one));
  return names.get(known ?? '') ?? null;
}

function renderJournal({ journal }: Service, names: Names): Html {
  const shown = journal.entries({ limit: mostCalls }).toReversed();
  const title =
    journal.dropped > 0 ? `Journal (${journal.dropped} older calls dropped)` : 'Journal';
  return renderList(
    'journal',
    title,
    shown,
    journal.size,
    html`No calls yet. Try one on the <a href="/">API page</a>.`,
    '/sandbox/journal',
    (some) => some.map((entry) => renderCall(entry, aboutOf(entry, names))),
  );
}

function renderCall(entry: JournalEntry, about: string | null): Html {
  const { n, at, method, path, operation, durationMs } = entry;
  return html`<details class="call" id="call-${n}">
<summary><span class="n">${n}</span> ${moment(at)} ${renderResult(entry)}
<span class="what"><b>${operation ?? 'no operation'}</b> ${about} <code>${method} ${path}</code></span>
<span class="duration">${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms</span></summary>
<div class="sides">
${renderJson('Request', entry.body ?? entry.unreadableBody)}
${renderJson(entry.fault === undefined ? 'Answer' : `Answer (${entry.fault})`, entry.answer)}
</div>
</details>
`;
}

function renderResult({ status, fault, answer }: JournalEntry): Html {
  if (fault !== undefined) return badge('bad', status === undefined ? fault : `${status} ${fault}`);
  if (status !== 200) return badge('bad', String(status));
  const { HasError, ErrorCode } = { ...(answer as Readonly<Record<string, unknown>> | undefined) };
  return HasError ? badge('waiting', `200, error ${ErrorCode ?? ''}`) : badge('good', '200');
}

function renderJson(title: string, value: unknown): Html {
  if (value === undefined)
    return html`<div class="side"><h3>${title}</h3><p class="empty">None.</p></div>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const cut = text.length > mostCharacters;
  return html`<div class="side"><h3>${title}</h3><pre>${cut ? `${text.slice(0, mostCharacters)}…` : text}</pre></div>`;
}

export function renderStatePage(service: Service, address: string): Html {
  const { settings, contract, neighbours } = service.parts;
  return layOutPage('state', {
    address,
    credentials: settings.credentials,
    neighbours,
    head: html`<link rel="stylesheet" href="/assets/state.css">
<script type="module" src="/assets/state.js"></script>`,
    content: html`<main>
${renderFaultControls(contract.operations.map(({ operationId }) => operationId))}
<div id="live" data-fragment="/state/fragment">
${renderStateFragment(service)}</div>
</main>`,
  });
}

/** The part that the page fetches again and again. */
export function renderStateFragment(service: Service): Html {
  const state = describeState(service);
  const { store } = service.parts.neighbours ?? {};
  const names = namesIn(state);
  return html`${renderActiveFaults(state.faults)}${renderCustomers(state, store)}${renderOrders(state, names, store)}${renderCoupons(
    state,
  )}${renderProducts(state, store)}${renderRedemptions(state)}${renderChallenges(state)}${renderSubscriptions(state)}${renderEvents(
    state,
    names,
  )}${renderJournal(service, names)}`;
}

/** `store`: the page of the store, if it runs. */
function renderCustomers({ customers }: State, store?: string): Html {
  return renderSection({
    id: 'customers',
    title: 'Customers',
    rows: customers,
    whenEmpty: 'None yet. The first order brings its customer along.',
    rowId: ({ OriginalId }) => `customer-${OriginalId}`,
    numbers: ['Points', 'Cashback'],
    columns: {
      Name: ({ Name, OriginalId }) => html`${brief(Name)} ${idLink(OriginalId, store, 'customer')}`,
      'E-mail': ({ Email }) => brief(Email),
      Tier: ({ tier }) => renderTier(tier),
      Points: ({ points }) => amount(points),
      Cashback: ({ cashback }) => amount(cashback),
      Program: ({ IsEnrolled, isActive }) => {
        if (!isActive) return badge('plain', 'inactive');
        return IsEnrolled ? badge('good', 'enrolled') : badge('plain', 'not enrolled');
      },
    },
  });
}

/** Drawn, not styled: the page allows no inline styles. */
function renderTier({ name, color }: State['customers'][number]['tier']): Html {
  return html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${color}"/></svg> ${name}`;
}

function renderOrders({ orders }: State, names: Names, store?: string): Html {
  return renderSection({
    id: 'orders',
    title: 'Orders',
    rows: orders,
    whenEmpty: 'None yet. Send one with sendOrder.',
    rowId: ({ OriginalId }) => `order-${OriginalId}`,
    numbers: ['Total', 'Points', 'Products'],
    columns: {
      Order: (order) => html`${orderName(order)} ${idLink(order.OriginalId, store, 'order')}`,
      Customer: ({ customerId }) =>
        html`${names.get(customerId)} ${idLink(customerId, store, 'customer')}`,
      State: renderOrderState,
      'Status in the store': ({ OrderStatus }) => brief(OrderStatus),
      Total: ({ OrderTotal }) => amount(OrderTotal),
      Points: ({ points }) => amount(points),
      Products: ({ Products }) => Products?.length ?? null,
      Coupon: ({ Coupon }) => brief(Coupon),
      Updated: ({ UpdatedDate }) => moment(UpdatedDate),
    },
  });
}

function renderOrderState(order: State['orders'][number]): Html {
  if (order.IsCancelledOrReturned) return badge('plain', 'cancelled');
  return order.IsCompleted ? badge('good', 'completed') : badge('waiting', 'pending');
}

const couponTypes = ['fixed value', 'percent', 'free shipping', 'discount on shipping', 'other'];

function renderCoupons({ coupons }: State): Html {
  return renderSection({
    id: 'coupons',
    title: 'Coupons',
    rows: coupons,
    whenEmpty: 'None yet. Create one with createCoupon, or redeem a reward.',
    numbers: ['Value'],
    columns: {
      Code: ({ CouponCode }) => brief(CouponCode),
      Type: ({ CouponType }) => couponTypes[CouponType ?? -1] ?? null,
      Value: ({ CouponValue }) => amount(CouponValue),
      Customer: ({ customerId }) => brief(customerId),
      State: ({ isActive, IsUsed }) => {
        if (!isActive) return badge('plain', 'inactive');
        return IsUsed ? badge('plain', 'used') : badge('good', 'active');
      },
      'Used by order': ({ usedByOrderId }) => brief(usedByOrderId),
      'Valid until': ({ ValidDateEnd }) => moment(ValidDateEnd),
    },
  });
}

function renderProducts({ products }: State, store?: string): Html {
  return renderSection({
    id: 'products',
    title: 'Products',
    rows: products,
    whenEmpty: 'None yet. Send one with updateProduct.',
    rowId: ({ OriginalId }) => `product-${OriginalId}`,
    numbers: ['Price'],
    columns: {
      Title: ({ Title, OriginalId }) =>
        html`${brief(Title)} ${idLink(OriginalId, store, 'product')}`,
      Price: ({ ProductPrice }) => amount(ProductPrice),
      Brand: ({ brand }) => brief(brand?.Name ?? brand?.OriginalId ?? null),
      Category: ({ categories }) => brief(categories.join(' › ') || null),
      State: ({ IsActive }) =>
        IsActive === false ? badge('plain', 'inactive') : badge('good', 'active'),
    },
  });
}

function renderRedemptions({ redemptions }: State): Html {
  return renderSection({
    id: 'redemptions',
    title: 'Redemptions',
    rows: redemptions,
    whenEmpty: 'None yet. Redeem a reward with redeemReward.',
    numbers: ['Points'],
    columns: {
      Key: ({ OriginalKey }) => brief(OriginalKey),
      Reward: ({ rewardTitle }) => brief(rewardTitle),
      Customer: ({ customerId }) => brief(customerId),
      Points: ({ points }) => amount(points),
      Code: ({ ExternalCode }) => brief(ExternalCode),
      State: ({ canceledAt, usedByOrderId }) => {
        if (canceledAt !== null) return badge('plain', 'cancelled');
        return usedByOrderId === null ? badge('good', 'redeemed') : badge('plain', 'used');
      },
      When: ({ redeemedAt }) => moment(redeemedAt),
    },
  });
}

function renderChallenges({ challenges }: State): Html {
  return renderSection({
    id: 'challenges',
    title: 'PINs at the till',
    rows: challenges,
    whenEmpty: 'None yet. Start a challenge with startChallenge; the sandbox sends no e-mail.',
    columns: {
      Customer: ({ customerId }) => brief(customerId),
      PIN: ({ pin }) => pin,
      State: ({ passed }) => (passed ? badge('good', 'passed') : badge('waiting', 'waiting')),
      When: ({ startedAt }) => moment(startedAt),
    },
  });
}

function renderSubscriptions({ subscriptions }: State): Html {
  return renderSection({
    id: 'subscriptions',
    title: 'Webhook subscriptions',
    rows: subscriptions,
    whenEmpty: 'None: point events are kept and not sent. Start with --events-to to have one.',
    numbers: ['Failures in a row'],
    columns: {
      Name: ({ name }) => brief(name),
      Address: ({ address }) => brief(address),
      Topics: ({ topics }) => topics.join(', '),
      Headers: ({ headers }) => headers.join(', ') || null,
      'Failures in a row': ({ failuresInRow }) => failuresInRow,
      State: ({ isOn, name }) =>
        isOn
          ? badge('good', 'on')
          : html`${badge('bad', 'off')} <button type="button" data-switch-on="${name}">Switch on</button>`,
    },
  });
}

const deliveryTones = {
  pending: 'waiting',
  delivered: 'good',
  undelivered: 'bad',
  'not-sent': 'plain',
} as const satisfies Record<string, Tone>;

function renderEvents({ events }: State, names: Names): Html {
  return renderSection<PointEvent>({
    id: 'events',
    title: 'Point events',
    rows: events,
    whenEmpty: 'None yet. Every change of points makes one.',
    numbers: ['Attempts'],
    columns: {
      Topic: ({ topic, id }) => `${topic} ${id}`,
      Customer: (event) => brief(names.get(customerOf(event) ?? '') ?? customerOf(event)),
      Delivery: ({ delivery }) => {
        const state = delivery?.state ?? 'pending';
        return badge(deliveryTones[state], state === 'not-sent' ? 'no subscription' : state);
      },
      Attempts: ({ delivery }) => delivery?.attempts ?? 0,
      'Last problem': ({ delivery }) => brief(delivery?.problem ?? null),
      Payload: ({ id, payload }) =>
        html`<details id="event-${id}"><summary>show</summary><pre>${JSON.stringify(payload, null, 2)}</pre></details>`,
    },
  });
}
