import { about } from '../../about.ts';
import { goTo, hrefOf } from '../../router.ts';
import { words } from '../../words.ts';
import { FILTERS, type Filter, type FilterName } from './filter.ts';
import { strings } from './strings.ts';

/** What is chosen stands in the address, so that it can be sent to a colleague. */
export function FilterForm({ filter }: { readonly filter: Filter }) {
  const texts = words(strings);
  const apply = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const given = FILTERS.flatMap((name) => {
      const value = data.get(name) ?? filter[name];
      return typeof value === 'string' && value.trim() !== ''
        ? [[name, value.trim()] as const]
        : [];
    });
    goTo('letters', [], Object.fromEntries(given));
  };
  const choice = (name: FilterName, label: string, values: Readonly<Record<string, string>>) => (
    <label>
      {label}{' '}
      <select name={name} defaultValue={filter[name] ?? ''}>
        <option value="">{texts.any}</option>
        {Object.entries(values).map(([value, shown]) => (
          <option value={value} key={value} selected={value === filter[name]}>
            {shown}
          </option>
        ))}
      </select>
    </label>
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
        {about.shops.length > 1 &&
          choice('shop', texts.shop, Object.fromEntries(about.shops.map((one) => [one, one])))}
        {input('since', texts.since, 'date')}
        {input('until', texts.until, 'date')}
        <button type="submit">{texts.filter}</button>
        {Object.keys(filter).length > 0 && <a href={hrefOf('letters')}>{texts.noFilter}</a>}
      </form>
    </search>
  );
}
