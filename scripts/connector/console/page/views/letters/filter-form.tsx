import { about } from '../../about.ts';
import { Choice, Form } from '../../parts/form.tsx';
import { goTo, hrefOf } from '../../router.ts';
import type { Filter, FilterName } from './filter.ts';
import { strings } from './strings.ts';

/** What is chosen stands in the address, so that it can be sent to a colleague. */
export function FilterForm({ filter }: { readonly filter: Filter }) {
  const choice = (name: FilterName, label: string, of: Parameters<typeof Choice>[0]['of']) => (
    <Choice {...{ name, label, of }} any="any" chosen={filter[name]} />
  );
  const input = (name: FilterName, label: string, type: 'search' | 'text' | 'date') => (
    <label>
      {label} <input type={type} name={name} defaultValue={filter[name] ?? ''} />
    </label>
  );
  const queues = Object.entries(strings.queues).filter(
    ([queue]) => queue !== 'balances' || about.hasStorefront,
  );
  const hasShops = about.shops.length > 1;
  // These come from a link only.
  const unseen = (['kind', 'topic', 'id', ...(hasShops ? [] : ['shop' as const])] as const).map(
    (name) => <input key={name} type="hidden" name={name} value={filter[name] ?? ''} />,
  );
  return (
    <search>
      <Form class="filters" onSubmit={(given) => goTo('letters', [], given)}>
        {unseen}
        {input('text', 'Text', 'search')}
        {choice('reason', 'Reason', strings.reasons)}
        {input('code', 'Code', 'text')}
        {choice('queue', 'Queue', Object.fromEntries(queues))}
        {hasShops && choice('shop', 'Shop', about.shops)}
        {input('since', 'Since', 'date')}
        {input('until', 'Before', 'date')}
        <button type="submit">Filter</button>
        {Object.keys(filter).length > 0 && <a href={hrefOf('letters')}>Show all</a>}
      </Form>
    </search>
  );
}
