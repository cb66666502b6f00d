import type { BalanceRow, BalanceSide } from '../../../../redemptions/read-account.ts';
import type { CustomerDocument } from '../../../../redemptions/show-redemptions.ts';
import { inShop } from '../../about.ts';
import { Sides } from '../../parts/sides.tsx';
import { hrefOf } from '../../router.ts';
import { agoText, numberText } from '../../words.ts';
import { Redemptions } from './redemptions.tsx';
import { strings } from './strings.ts';

const SIDES = ['store', 'ledger', 'service'] as const;

/** What a customer has, in the store and in the loyalty service. */
export function Account({
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
