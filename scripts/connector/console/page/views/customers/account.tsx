import type { BalanceRow, BalanceSide } from '../../../../redemptions/read-account.ts';
import type { CustomerDocument } from '../../../../redemptions/show-redemptions.ts';
import { inShop } from '../../about.ts';
import { Sides } from '../../parts/sides.tsx';
import { hrefOf } from '../../router.ts';
import { agoText, numberText, words } from '../../words.ts';
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
  const texts = words(strings);
  const { customer, shop, mergedInto, balances, rows, orders, redemptions } = document;
  const isBehind = rows.some(({ differs }) => differs);
  return (
    <article>
      <h2>
        {texts.customer} {customer}
      </h2>
      {mergedInto !== null && (
        <p>
          {texts.mergedInto}{' '}
          <a href={hrefOf('customers', [mergedInto], inShop(shop))}>{mergedInto}</a>
        </p>
      )}
      <section class="card" aria-label={texts.balance}>
        <h3>{texts.balance}</h3>
        <Sides
          label={texts.balance}
          columns={SIDES.map((one) => texts.sides[one])}
          rows={rows.map((row) => ({
            ...{ field: texts.fields[row.field], differs: row.differs },
            cells: SIDES.map((one) => cellOf(balances[one], row[one])),
          }))}
          differs={texts.differs}
        />
        {balances.asOf !== null && (
          <p class="soft">
            {texts.asOf} {agoText(balances.asOf)}
          </p>
        )}
        {isBehind && <p>{texts.behind}</p>}
        <p class="buttons">
          <a href={hrefOf('story', ['customer', customer], inShop(shop))}>{texts.story}</a>
        </p>
      </section>
      <h2>{texts.redemptions}</h2>
      <Redemptions redemptions={redemptions} shop={shop} onChanged={onChanged} />
      <h2>{texts.orders}</h2>
      {orders.length === 0 ? (
        <p class="soft">{texts.noOrders}</p>
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
    if (side.kind === 'absent') return texts.absent;
    if (side.kind === 'unknown') return `${texts.unanswered} (${side.why})`;
    if (value === null) return texts.none;
    return typeof value === 'number' ? numberText(value) : value;
  }
}
