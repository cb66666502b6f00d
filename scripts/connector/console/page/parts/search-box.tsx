import { useEffect, useRef } from 'preact/hooks';

interface SearchProps {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  readonly onSearch: (text: string) => void;
}

/** What is typed may be an e-mail address, so it does not become a part of the page's address. */
export function SearchBox({ label, hint, button, onSearch }: SearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        const text = input.current?.value.trim() ?? '';
        if (text !== '') onSearch(text);
      }}
    >
      <label for="search">{label}</label>
      <span class="filters">
        <input
          {...{ ref: input, id: 'search', type: 'search', autocomplete: 'off', spellcheck: false }}
          aria-describedby="search-hint"
        />
        <button type="submit">{button}</button>
      </span>
      <span id="search-hint" class="soft">
        {hint}
      </span>
    </form>
  );
}
