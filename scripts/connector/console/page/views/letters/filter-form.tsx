import { about } from '../../about.ts';
import { Choice, optionsIn } from '../../parts/choice.tsx';
import { goTo, hrefOf } from '../../router.ts';
import { words } from '../../words.ts';
import type { Filter, FilterName } from './filter.ts';
import { strings } from './strings.ts';

/** What is chosen stands in the address, so that it can be sent to a colleague. */
export function FilterForm({ filter }: { readonly filter: Filter }) {
  const texts = words(strings);
  const apply = (form: HTMLFormElement) => {
    const elsewhere = Object.entries(filter).filter(([name]) => !form.elements.namedItem(name));
    goTo('letters', [], { ...Object.fromEntries(elsewhere), ...optionsIn(form) });
  };
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
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          apply(event.currentTarget);
        }}
      >
        {input('text', texts.text, 'search')}
        {choice('reason', texts.reason, texts.reasons)}
        {input('code', texts.code, 'text')}
        {choice('queue', texts.queue, Object.fromEntries(queues))}
        {about.shops.length > 1 && choice('shop', texts.shop, about.shops)}
        {input('since', texts.since, 'date')}
        {input('until', texts.until, 'date')}
        <button type="submit">{texts.filter}</button>
        {Object.keys(filter).length > 0 && <a href={hrefOf('letters')}>{texts.noFilter}</a>}
      </form>
    </search>
  );
}
