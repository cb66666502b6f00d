import { about } from '../../about.ts';
import { Choice, Form } from '../../parts/form.tsx';
import { goTo, hrefOf } from '../../router.ts';
import { words } from '../../words.ts';
import type { Filter, FilterName } from './filter.ts';
import { strings } from './strings.ts';

/** What is chosen stands in the address, so that it can be sent to a colleague. */
export function FilterForm({ filter }: { readonly filter: Filter }) {
  const texts = words(strings);
  const choice = (name: FilterName, label: string, of: Parameters<typeof Choice>[0]['of']) => (
    <Choice {...{ name, label, of }} any={texts.any} chosen={filter[name]} />
  );
  const input = (name: FilterName, label: string, type: 'search' | 'text' | 'date') => (
    <label>
      {label} <input type={type} name={name} defaultValue={filter[name] ?? ''} />
    </label>
  );
  const queues = Object.entries(texts.queues).filter(
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
        {input('text', texts.text, 'search')}
        {choice('reason', texts.reason, texts.reasons)}
        {input('code', texts.code, 'text')}
        {choice('queue', texts.queue, Object.fromEntries(queues))}
        {hasShops && choice('shop', texts.shop, about.shops)}
        {input('since', texts.since, 'date')}
        {input('until', texts.until, 'date')}
        <button type="submit">{texts.filter}</button>
        {Object.keys(filter).length > 0 && <a href={hrefOf('letters')}>{texts.noFilter}</a>}
      </Form>
    </search>
  );
}
