import { useState } from 'preact/hooks';
import type { RedemptionDocument } from '../../../redemptions/redemptions.ts';
import type {
  BalanceRow,
  BalanceSide,
  CustomerDocument,
} from '../../../redemptions/show-redemptions.ts';
import { about, inShop, isOffered } from '../about.ts';
import { openAction } from '../action.ts';
import { Answer } from '../parts/answer.tsx';
import { Ago, SearchBox } from '../parts/form.tsx';
import { Sides, Table } from '../parts/table.tsx';
import { goTo, hrefOf, type ViewProps } from '../router.ts';
import type { Line } from '../run.ts';
import { useQuestion } from '../use-question.ts';
import { agoText, numberText } from '../words.ts';

/** One customer, or all redemptions that are not finished. */
export function CustomersView({ place }: ViewProps) {
  const [typed, setTyped] = useState('');
  const [named] = place.path;
  const shop = place.query.shop ?? about.shops[0] ?? '';
  const options = inShop(shop);
  const customer = named ?? typed;
  const line = { command: 'redemptions show', operands: [customer], options };
  const question = useQuestion<CustomerDocument>(customer === '' ? undefined : line);
  const search = (text: string) => {
    setTyped(text);
    if (named !== undefined) goTo('customers', [], options);
  };
  return (
    <>
      <SearchBox
        label="Which customer?"
        hint="Customer id or e-mail address"
        button="Find"
        onSearch={search}
      />
      {about.shops.length > 1 && (
        <label class="filters">
          Shop
          <select
            value={shop}
            onChange={({ currentTarget }) =>
              goTo('customers', place.path, { shop: currentTarget.value })
            }
          >
            {about.shops.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
      {customer === '' ? (
        about.hasStorefront && <Unfinished options={options} />
      ) : (
        <Answer question={question}>
          {(document) => <Account document={document} onChanged={question.askAgain} />}
        </Answer>
      )}
    </>
  );
}

const SIDES = ['store', 'ledger', 'service'] as const;

/** What a customer has, in the store and in the loyalty service. */
function Account({
  document,
  onChanged,
}: {
  readonly document: CustomerDocument;
  readonly onChanged: () => void;
}) {
  const { customer, shop, mergedInto, balances, rows, orders, redemptions } = document;
  const isBehind = rows.some(({ differs }) => differs);
  return (
    <article>
      <h2>Customer {customer}</h2>
      {mergedInto !== null && (
        <p>
          Merged into customer{' '}
          <a href={hrefOf('customers', [mergedInto], inShop(shop))}>{mergedInto}</a>
        </p>
      )}
      <section class="card" aria-label={strings.balance}>
        <h3>{strings.balance}</h3>
        <Sides
          label={strings.balance}
          columns={SIDES.map((one) => strings.sides[one])}
          rows={rows.map((row) => ({
            ...{ field: strings.fields[row.field], differs: row.differs },
            cells: SIDES.map((one) => cellOf(balances[one], row[one])),
          }))}
          differs="differs"
        />
        {balances.asOf !== null && (
          <p class="soft">The store shows what was known {agoText(balances.asOf)}</p>
        )}
        {isBehind && (
          <p>
            The store shows another balance than the loyalty service has. The next point event, a
            visit to the store or the nightly comparison brings it.
          </p>
        )}
        <p class="buttons">
          <a href={hrefOf('story', ['customer', customer], inShop(shop))}>
            What happened with this customer
          </a>
        </p>
      </section>
      <h2>Redemptions</h2>
      <Redemptions redemptions={redemptions} shop={shop} onChanged={onChanged} />
      <h2>Orders</h2>
      {orders.length === 0 ? (
        <p class="soft">No orders.</p>
      ) : (
        <ul class="inline">
          {orders.map((order) => (
            <li key={order.id}>
              <a href={hrefOf('story', ['order', order.id], inShop(shop))}>{order.name}</a>
            </li>
          ))}
        </ul>
      )}
    </article>
  );

  function cellOf(side: BalanceSide, value: BalanceRow['store']): string {
    if (side.kind === 'absent') return 'not there yet';
    if (side.kind === 'unknown') return `no answer (${side.why})`;
    if (value === null) return 'none';
    return typeof value === 'number' ? numberText(value) : value;
  }
}

interface RedemptionsProps {
  readonly redemptions: readonly RedemptionDocument[];
  readonly shop: string;
  readonly onChanged: () => void;
  /** In a list of several customers. */
  readonly withCustomer?: boolean;
}

/** Redeemed rewards with their state, and what a person can do about one. */
function Redemptions({ redemptions, shop, onChanged, withCustomer }: RedemptionsProps) {
  if (redemptions.length === 0) return <p class="soft">No redemptions.</p>;
  return (
    <Table
      {...{ class: 'redemptions', label: 'Redemptions', rows: redemptions }}
      keyOf={({ customer, id }) => `${customer} ${id}`}
      columns={[
        withCustomer === true && {
          title: 'Customer',
          cell: ({ customer }) => (
            <a href={hrefOf('customers', [customer], inShop(shop))}>{customer}</a>
          ),
        },
        { title: 'Reward', kind: 'foreign', cell: ({ reward }) => reward.title },
        {
          ...{ title: strings.fields.points, kind: 'number' },
          cell: ({ reward }) => numberText(reward.points),
        },
        { title: 'State', cell: (one) => <State {...{ one, shop, onChanged }} /> },
        { title: 'Since', cell: ({ since }) => <Ago at={since} /> },
        { title: 'Code', cell: ({ code }) => code ?? '–' },
      ]}
    />
  );
}

function State({
  one,
  shop,
  onChanged,
}: Pick<RedemptionsProps, 'shop' | 'onChanged'> & { readonly one: RedemptionDocument }) {
  return (
    <>
      <span class={`badge ${one.waitsForPerson ? 'bad' : (TONES[one.state] ?? 'waits')}`}>
        {strings.states[one.state] ?? one.state}
      </span>
      {one.detail !== '' && <p>{one.detail}</p>}
      {one.waitsForPerson && (
        <p>
          <a href={hrefOf('letters', [], { kind: 'redemption', id: one.id })}>
            Its dead letters, to try again
          </a>
        </p>
      )}
      {isOffered('redemptions close') && one.canCloseAs.length > 0 && (
        <p class="buttons">
          {one.canCloseAs.map((as) => (
            <button
              {...{ type: 'button', class: 'quiet' }}
              key={as}
              onClick={() => close(one, as, shop, onChanged)}
            >
              {strings.closeAs[as]}
            </button>
          ))}
        </p>
      )}
    </>
  );
}

const TONES: Readonly<Record<string, string>> = {
  ready: 'well',
  used: 'well',
  refused: '',
  cancelled: '',
};

function close(
  { customer, id }: RedemptionDocument,
  as: 'refused' | 'cancelled',
  shop: string,
  onEnd: () => void,
): void {
  const line = (options: NonNullable<Line['options']>): Line => ({
    ...{ command: 'redemptions close', operands: [customer, id] },
    options: { ...inShop(shop), [as]: true, ...options },
  });
  openAction({
    title: strings.closeAs[as],
    children:
      'Look at this customer in the panel of the loyalty service first: the connector does not check what you say here.',
    preview: line({}),
    line: line({ yes: true }),
    onEnd,
  });
}

interface ListDocument {
  readonly shop: string;
  readonly redemptions: readonly RedemptionDocument[];
}

/** Redemptions of all customers that are not finished. */
function Unfinished({ options }: Pick<Line, 'options'>) {
  const line: Line = { command: 'redemptions list', ...(options && { options }) };
  const question = useQuestion<ListDocument>(line);
  return (
    <section aria-label={strings.unfinished}>
      <h2>{strings.unfinished}</h2>
      <Answer question={question}>
        {({ shop, redemptions }) => (
          <Redemptions
            {...{ redemptions, shop }}
            onChanged={question.askAgain}
            withCustomer={true}
          />
        )}
      </Answer>
    </section>
  );
}

const strings = {
  balance: 'Balance',
  sides: {
    store: 'Store',
    ledger: 'Connector',
    service: 'Loyalty service',
  },
  fields: {
    points: 'Points',
    cashback: 'Cashback',
    tier: 'Tier',
    expiring: 'Expire next',
  } satisfies Readonly<Record<BalanceRow['field'], string>>,
  unfinished: 'Redemptions that are not finished',
  /** By the word of the command. */
  states: {
    running: 'running',
    pending: 'not known yet',
    making: 'code is being made',
    cancelling: 'is given back',
    cancelled: 'given back',
    refused: 'refused',
    ready: 'ready',
    used: 'used',
  } as Readonly<Record<string, string>>,
  closeAs: {
    refused: 'Close: no points were taken…',
    cancelled: 'Close: the points were given back…',
  },
};
