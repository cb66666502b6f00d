import { useState } from 'preact/hooks';
import type { CustomerDocument } from '../../../../redemptions/show-redemptions.ts';
import { about, inShop } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { goTo, type ViewProps } from '../../router.ts';
import { useQuestion } from '../../use-question.ts';
import { Account } from './account.tsx';
import { Unfinished } from './unfinished.tsx';

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
